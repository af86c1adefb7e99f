import { _decorator, Color, Component, Label, Sprite } from 'cc';

const { ccclass, property, requireComponent } = _decorator;

/** One line of the ranking. */
@ccclass('ListItem')
@requireComponent(Sprite)
export class ListItem extends Component {
  @property(Label)
  playerName: Label | null = null;

  @property(Label)
  score: Label | null = null;

  @property
  highlight: Color = new Color(255, 226, 122, 255);

  fill(name: string, score: number, isOwn: boolean): void {
    if (this.playerName) this.playerName.string = name;
    if (this.score) this.score.string = String(score);
    const background = this.getComponent(Sprite);
    if (background && isOwn) background.color = this.highlight;
  }
}
