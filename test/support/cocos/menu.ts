/** The source of a component `Menu` with a property of each kind, and methods of these names. */
export const menuScript = (...methods: readonly string[]): string => `
import { _decorator, Component, Node, Label, SpriteFrame } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('Menu')
export class Menu extends Component {
  @property(Node) panel: Node = null;
  @property(Label) title: Label = null;
  @property([Node]) items: Node[] = [];
  @property(SpriteFrame) icon: SpriteFrame = null;
  @property speed = 3;
  @property hint = 'go';
${methods.map((method) => `  ${method}() {}`).join('\n')}
}
`;
