/** Layers of nodes; the bits 0 to 19 belong to the project. */
export const layers = {
  NONE: 0,
  IGNORE_RAYCAST: 1_048_576,
  GIZMOS: 2_097_152,
  EDITOR: 4_194_304,
  UI_3D: 8_388_608,
  SCENE_GIZMO: 16_777_216,
  UI_2D: 33_554_432,
  PROFILER: 268_435_456,
  DEFAULT: 1_073_741_824,
} as const;

/** Edges of `cc.Widget`; 45 stretches in both directions. */
export const alignFlags = { TOP: 1, MID: 2, BOT: 4, LEFT: 8, CENTER: 16, RIGHT: 32 } as const;

/** Bits of `_objFlags` that files keep. */
export const objectFlags = {
  DontSave: 8,
  EditorOnly: 16,
  LockedInEditor: 512,
  HideInHierarchy: 1024,
} as const;

/** Names of the numbers that components store, by what they mean. */
export const enums = {
  blendFactor: {
    ZERO: 0,
    ONE: 1,
    SRC_ALPHA: 2,
    DST_ALPHA: 3,
    ONE_MINUS_SRC_ALPHA: 4,
    ONE_MINUS_DST_ALPHA: 5,
    SRC_COLOR: 6,
    DST_COLOR: 7,
    ONE_MINUS_SRC_COLOR: 8,
    ONE_MINUS_DST_COLOR: 9,
  },
  spriteType: { SIMPLE: 0, SLICED: 1, TILED: 2, FILLED: 3 },
  fillType: { HORIZONTAL: 0, VERTICAL: 1, RADIAL: 2 },
  sizeMode: { CUSTOM: 0, TRIMMED: 1, RAW: 2 },
  horizontalAlign: { LEFT: 0, CENTER: 1, RIGHT: 2 },
  verticalAlign: { TOP: 0, CENTER: 1, BOTTOM: 2 },
  overflow: { NONE: 0, CLAMP: 1, SHRINK: 2, RESIZE_HEIGHT: 3 },
  cacheMode: { NONE: 0, BITMAP: 1, CHAR: 2 },
  lineJoin: { BEVEL: 0, ROUND: 1, MITER: 2 },
  lineCap: { BUTT: 0, ROUND: 1, SQUARE: 2 },
  maskType: { GRAPHICS_RECT: 0, GRAPHICS_ELLIPSE: 1, GRAPHICS_STENCIL: 2, SPRITE_STENCIL: 3 },
  alignMode: { ONCE: 0, ALWAYS: 1, ON_WINDOW_RESIZE: 2 },
  layoutType: { NONE: 0, HORIZONTAL: 1, VERTICAL: 2, GRID: 3 },
  resizeMode: { NONE: 0, CONTAINER: 1, CHILDREN: 2 },
  axis: { HORIZONTAL: 0, VERTICAL: 1 },
  verticalDirection: { BOTTOM_TO_TOP: 0, TOP_TO_BOTTOM: 1 },
  horizontalDirection: { LEFT_TO_RIGHT: 0, RIGHT_TO_LEFT: 1 },
  constraint: { NONE: 0, FIXED_ROW: 1, FIXED_COL: 2 },
  transition: { NONE: 0, COLOR: 1, SPRITE: 2, SCALE: 3 },
  progressMode: { HORIZONTAL: 0, VERTICAL: 1, FILLED: 2 },
  pageSizeMode: { Unified: 0, Free: 1 },
  returnType: { DEFAULT: 0, DONE: 1, SEND: 2, SEARCH: 3, GO: 4, NEXT: 5 },
  inputFlag: {
    PASSWORD: 0,
    SENSITIVE: 1,
    INITIAL_CAPS_WORD: 2,
    INITIAL_CAPS_SENTENCE: 3,
    INITIAL_CAPS_ALL_CHARACTERS: 4,
    DEFAULT: 5,
  },
  inputMode: {
    ANY: 0,
    EMAIL_ADDR: 1,
    NUMERIC: 2,
    PHONE_NUMBER: 3,
    URL: 4,
    DECIMAL: 5,
    SINGLE_LINE: 6,
  },
  projection: { ORTHO: 0, PERSPECTIVE: 1 },
  fovAxis: { VERTICAL: 0, HORIZONTAL: 1 },
  clearFlags: { DONT_CLEAR: 0, DEPTH_ONLY: 6, SOLID_COLOR: 7, SKYBOX: 14 },
  cameraType: { DEFAULT: -1, LEFT_EYE: 0, RIGHT_EYE: 1, MAIN: 2 },
  trackingType: { NO_TRACKING: 0, POSITION_AND_ROTATION: 1, POSITION: 2, ROTATION: 3 },
  resourceType: { REMOTE: 0, LOCAL: 1 },
  body2dType: { Static: 0, Kinematic: 1, Dynamic: 2, Animated: 3 },
  bodyType: { DYNAMIC: 1, STATIC: 2, KINEMATIC: 4 },
} as const;
