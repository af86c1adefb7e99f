import { builtInSprite } from './built-in-assets.ts';
import { makeValue } from './field.ts';
import { link, type NodeRecipe, type Size } from './recipe.ts';
import { maskParts, panel, transform } from './recipe-parts.ts';

/** A window on a content that may be larger. */
export function scrollView({ width, height }: Size = { width: 240, height: 250 }): NodeRecipe {
  return {
    name: 'ScrollView',
    components: [
      transform(width, height),
      panel('default_panel'),
      {
        type: 'cc.ScrollView',
        key: 'view',
        values: {
          bounceDuration: 0.23,
          brake: 0.75,
          horizontal: false,
          _content: link('content'),
          _verticalScrollBar: link('scrollBar'),
        },
      },
    ],
    children: [
      scrollBar({ width, height }),
      {
        name: 'view',
        components: [transform(width, height), ...maskParts],
        children: [
          {
            name: 'content',
            key: 'content',
            position: [0, height / 2],
            components: [transform(width - 20, contentHeight(height), { anchor: [0.5, 1] })],
          },
        ],
      },
    ],
  };
}

const contentHeight = (height: number): number => Math.max(400, height);

function scrollBar({ width, height }: Size): NodeRecipe {
  const barHeight = height ** 2 / contentHeight(height);
  return {
    name: 'scrollBar',
    position: [width / 2, 0],
    components: [
      transform(12, height, { anchor: [1, 0.5] }),
      panel('default_scrollbar_vertical_bg'),
      {
        type: 'cc.Widget',
        values: { _alignFlags: 37, _originalHeight: height, _alignMode: 1 },
      },
      {
        type: 'cc.ScrollBar',
        key: 'scrollBar',
        values: { _scrollView: link('view'), _handle: link('handle'), _direction: 1 },
      },
    ],
    children: [
      {
        name: 'bar',
        position: [-11, height / 2 - barHeight],
        components: [
          transform(10, barHeight, { anchor: [0, 0] }),
          { ...panel('default_scrollbar_vertical'), key: 'handle' },
        ],
      },
    ],
  };
}

/** A window on pages, one at a time. */
export function pageView({ width, height }: Size = { width: 500, height: 400 }): NodeRecipe {
  const page = { width, height: height * 0.75 };
  return {
    name: 'PageView',
    components: [
      transform(width, height),
      panel('default_panel'),
      {
        type: 'cc.PageView',
        values: { vertical: false, _content: link('content'), _indicator: link('indicator') },
      },
    ],
    children: [
      {
        name: 'view',
        components: [transform(page.width, page.height), ...maskParts],
        children: [
          {
            name: 'content',
            key: 'content',
            position: [-width / 2, 0],
            components: [
              transform(3 * page.width, page.height, { anchor: [0, 0.5] }),
              { type: 'cc.Layout', values: { _resizeMode: 1, _layoutType: 1, _isAlign: true } },
            ],
            children: [0, 1, 2].map((index) => pageAt(index, page)),
          },
        ],
      },
      {
        name: 'indicator',
        position: [0, 21 - height / 2],
        components: [
          transform(width, 60),
          {
            type: 'cc.PageViewIndicator',
            key: 'indicator',
            values: {
              spacing: 10,
              _spriteFrame: builtInSprite('default_scrollbar_vertical'),
              _cellSize: makeValue('cc.Size', 10, 10),
            },
          },
        ],
      },
    ],
  };
}

function pageAt(index: number, { width, height }: Size): NodeRecipe {
  const components = [transform(width, height), panel('default_panel')];
  return { name: `page${index + 1}`, position: [width * (index + 0.5), 0], components };
}
