import { _decorator, Component, Label } from 'cc';

const { ccclass, property } = _decorator;

/** A box with a title, a text and a button that closes it. */
@ccclass('DialogView')
export class DialogView extends Component {
  @property(Label)
  title: Label | null = null;

  @property(Label)
  message: Label | null = null;

  show(title: string, message: string): void {
    if (this.title) this.title.string = title;
    if (this.message) this.message.string = message;
    this.node.active = true;
  }

  onClose(): void {
    this.node.active = false;
  }
}
