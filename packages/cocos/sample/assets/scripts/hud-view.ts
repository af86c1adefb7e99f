import {
  _decorator,
  CCInteger,
  Component,
  instantiate,
  Label,
  Node,
  Prefab,
  ProgressBar,
} from 'cc';
import { DialogView } from './dialog-view';
import { ListItem } from './list-item';

const { ccclass, property } = _decorator;

/** What the player sees while playing: score, health, ranking. */
@ccclass('HudView')
export class HudView extends Component {
  @property(Label)
  score: Label | null = null;

  @property(ProgressBar)
  health: ProgressBar | null = null;

  @property(Node)
  ranking: Node | null = null;

  @property(Prefab)
  itemPrefab: Prefab | null = null;

  @property(DialogView)
  pauseDialog: DialogView | null = null;

  @property(CCInteger)
  lives = 3;

  @property([Node])
  hearts: Node[] = [];

  addPlayer(name: string, score: number): void {
    if (!this.itemPrefab || !this.ranking) return;
    const line = instantiate(this.itemPrefab);
    line.getComponent(ListItem)?.fill(name, score, false);
    this.ranking.addChild(line);
  }

  onPause(): void {
    this.pauseDialog?.show('Paused', 'Take a breath. The stars will wait for you.');
  }
}
