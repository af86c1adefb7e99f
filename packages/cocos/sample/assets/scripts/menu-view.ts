import { _decorator, Component, director, game, Label, Node } from 'cc';

const { ccclass, property } = _decorator;

/** The first screen: starts a game, opens the settings, leaves. */
@ccclass('MenuView')
export class MenuView extends Component {
  @property(Label)
  title: Label | null = null;

  @property(Node)
  settings: Node | null = null;

  @property({ tooltip: 'The scene that "Play" loads' })
  gameScene = 'game';

  onPlay(): void {
    director.loadScene(this.gameScene);
  }

  onSettings(): void {
    if (this.settings) this.settings.active = true;
  }

  onQuit(): void {
    game.end();
  }
}
