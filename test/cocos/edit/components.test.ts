import { printTable, scriptTypeOf, typeOf } from '@mcp-kit/cocos/document';
import {
  addComponent,
  createNode,
  readComponent,
  removeComponent,
  setComponentEnabled,
  setProperties,
} from '@mcp-kit/cocos/edit';
import { describe, expect, it } from 'vitest';
import { newSceneForEach, code, menuUuid, printed, scene } from '../../support/cocos/edit.ts';

newSceneForEach();

describe('Components', () => {
  it('bring what they require, and refuse what they do not go with', () => {
    const { node } = createNode(scene, { element: 'Empty', name: 'N' });
    const { added } = addComponent(scene, node, { type: 'SafeArea' });
    expect(added.map(({ type }) => type)).toEqual(['cc.UITransform', 'cc.Widget', 'cc.SafeArea']);
    addComponent(scene, node, { type: 'cc.Label', properties: { string: 'Hi', fontSize: 30 } });
    expect(code(() => addComponent(scene, node, { type: 'cc.Sprite' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'cc.UITransform' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'cc.Mask' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'Spite' }))).toBe('E_NOT_FOUND');
    expect(code(() => removeComponent(scene, 'N:cc.Widget'))).toBe('E_PRECONDITION_FAILED');
    removeComponent(scene, 'N:cc.SafeArea');
    removeComponent(scene, 'N:cc.Widget');
    setComponentEnabled(scene, 'N:cc.Label', false);
    expect(readComponent(scene, 'N:cc.Label')).toMatchObject({
      enabled: false,
      properties: { string: 'Hi' },
    });
    printed(scene);
  });

  it('of masks cut by graphics of their own, or by the sprite of their node', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'M' });
    expect(addComponent(scene, node, { type: 'cc.Mask' }).added.map(({ type }) => type)).toEqual([
      'cc.Mask',
      'cc.Graphics',
    ]);
    const { node: other } = createNode(scene, { element: 'Sprite', name: 'S' });
    const { added, component } = addComponent(scene, other, { type: 'cc.Mask' });
    expect(added).toHaveLength(1);
    expect(readComponent(scene, component).properties['type']).toBe('SPRITE_STENCIL');
  });

  it('are set by the names of the editor, by paths, and all or none', () => {
    createNode(scene, { element: 'Button', name: 'B' });
    const before = printTable(scene.view.table);
    expect(
      code(() => setProperties(scene, 'Canvas/B:cc.Button', { zoomScale: 2, duration: 'long' })),
    ).toBe('E_INVALID_ARGUMENT');
    expect(printTable(scene.view.table)).toBe(before);
    const { changes } = setProperties(scene, 'Canvas/B:cc.Button', {
      transition: 'SCALE',
      normalColor: '#102030',
      'hoverColor.r': 1,
      target: 'Canvas',
    });
    expect(changes.map(({ field }) => field)).toEqual([
      '_transition',
      '_normalColor',
      '_hoverColor.r',
      '_target',
    ]);
    expect(readComponent(scene, 'Canvas/B:cc.Button').properties).toMatchObject({
      transition: 'SCALE',
      normalColor: '#102030',
      hoverColor: '#01d3d3',
      target: scene.view.get('Canvas').handle,
    });
    expect(code(() => setProperties(scene, 'Canvas/B:cc.Button', { nothing: 1 }))).toBe(
      'E_INVALID_ARGUMENT',
    );
    expect(code(() => setProperties(scene, 'Canvas/B', { zoomScale: 1 }))).toBe(
      'E_INVALID_ARGUMENT',
    );
    expect(code(() => setProperties(scene, 'Canvas/B:cc.Label', { string: '' }))).toBe(
      'E_NOT_FOUND',
    );
    printed(scene);
  });

  it('of one value change one line', () => {
    createNode(scene, { element: 'Label', name: 'L' });
    const before = printTable(scene.view.table).split('\n');
    setProperties(scene, 'Canvas/L:cc.Label', { string: 'other' });
    const after = printTable(scene.view.table).split('\n');
    expect(after.filter((line, index) => line !== before[index])).toEqual([
      '    "_string": "other",',
    ]);
  });

  it('of scripts have the properties of the source, checked', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'Root' });
    createNode(scene, { element: 'Label', name: 'Title' });
    const { component } = addComponent(scene, node, {
      type: 'Menu',
      properties: {
        panel: 'Canvas/Title',
        title: 'Canvas/Title',
        items: ['Canvas', 'Canvas/Root'],
        speed: 5,
      },
    });
    const entry = scene.view.at(scene.view.get(component).index);
    expect(typeOf(entry)).toBe(scriptTypeOf(menuUuid));
    expect(Object.keys(entry).slice(7)).toEqual([
      'panel',
      'title',
      'items',
      'icon',
      'speed',
      'hint',
      '_id',
    ]);
    expect(readComponent(scene, component)).toMatchObject({
      type: 'Menu',
      properties: { speed: 5, hint: 'go' },
    });
    for (const properties of [{ speed: 'fast' }, { colour: 1 }, { title: 'Canvas' }]) {
      expect(code(() => setProperties(scene, component, properties))).not.toBe('none');
    }
    expect(code(() => addComponent(scene, node, { type: 'assets/scripts/menu.ts' }))).toBe('none');
    printed(scene);
  });

  it('call methods of scripts by events', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'Root' });
    addComponent(scene, node, { type: 'Menu' });
    createNode(scene, { element: 'Button', name: 'B' });
    const event = {
      target: 'Canvas/Root',
      component: 'Menu',
      handler: 'onPlay',
      customEventData: '1',
    };
    setProperties(scene, 'Canvas/B:cc.Button', { clickEvents: [event] });
    const stored = printed(scene).objects.filter((entry) => typeOf(entry) === 'cc.ClickEvent');
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({
      component: '',
      _componentId: scriptTypeOf(menuUuid),
      handler: 'onPlay',
    });
    setProperties(scene, 'Canvas/B:cc.Button', { 'clickEvents.0.handler': 'onStop' });
    expect(readComponent(scene, 'Canvas/B:cc.Button').properties['clickEvents']).toEqual([
      {
        target: scene.view.get('Canvas/Root').handle,
        component: 'Menu',
        handler: 'onStop',
        customEventData: '1',
      },
    ]);
    expect(
      code(() => setProperties(scene, 'Canvas/B:cc.Button', { 'clickEvents.1.handler': 'x' })),
    ).toBe('E_INVALID_ARGUMENT');
  });
});
