/** A place, a direction or a size in space. */
export interface Vec3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A rotation. */
export interface Quat extends Vec3 {
  readonly w: number;
}

/** Where something is, how it is turned, how large it is. */
export interface Placement {
  readonly position: Vec3;
  readonly rotation: Quat;
  readonly scale: Vec3;
}

const toRadians = Math.PI / 180;

/** The rotation of Euler angles in degrees, in the order of the engine: Y, then Z, then X. */
export function quatFromEuler({ x, y, z }: Vec3): Quat {
  const [sx, sy, sz] = [x, y, z].map((angle) => Math.sin((angle * toRadians) / 2)) as Triple;
  const [cx, cy, cz] = [x, y, z].map((angle) => Math.cos((angle * toRadians) / 2)) as Triple;
  return {
    x: sx * cy * cz + cx * sy * sz,
    y: cx * sy * cz + sx * cy * sz,
    z: cx * cy * sz - sx * sy * cz,
    w: cx * cy * cz - sx * sy * sz,
  };
}

type Triple = [number, number, number];

/** The Euler angles in degrees of a rotation; turned straight up or down, the angle around X is 0. */
export function eulerFromQuat(rotation: Quat): Vec3 {
  const { x, y, z, w } = normalized(rotation);
  const pole = x * y + z * w;
  if (Math.abs(pole) > 0.499_999) {
    const sign = Math.sign(pole);
    return { x: 0, y: (sign * 2 * Math.atan2(x, w)) / toRadians, z: sign * 90 };
  }
  return {
    x: Math.atan2(2 * (x * w - y * z), 1 - 2 * (x * x + z * z)) / toRadians,
    y: Math.atan2(2 * (y * w - x * z), 1 - 2 * (y * y + z * z)) / toRadians,
    z: Math.asin(2 * pole) / toRadians,
  };
}

function normalized({ x, y, z, w }: Quat): Quat {
  const length = Math.hypot(x, y, z, w) || 1;
  return { x: x / length, y: y / length, z: z / length, w: w / length };
}

function multiply(a: Quat, b: Quat): Quat {
  return {
    x: a.x * b.w + a.w * b.x + a.y * b.z - a.z * b.y,
    y: a.y * b.w + a.w * b.y + a.z * b.x - a.x * b.z,
    z: a.z * b.w + a.w * b.z + a.x * b.y - a.y * b.x,
    w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  };
}

function inverse(rotation: Quat): Quat {
  const { x, y, z, w } = normalized(rotation);
  return { x: -x, y: -y, z: -z, w };
}

function turn(rotation: Quat, { x, y, z }: Vec3): Vec3 {
  const turned = multiply(multiply(rotation, { x, y, z, w: 0 }), inverse(rotation));
  return { x: turned.x, y: turned.y, z: turned.z };
}

function combine(a: Vec3, b: Vec3, how: (a: number, b: number) => number): Vec3 {
  return { x: how(a.x, b.x), y: how(a.y, b.y), z: how(a.z, b.z) };
}

const plus = (a: number, b: number): number => a + b;
const minus = (a: number, b: number): number => a - b;
const times = (a: number, b: number): number => a * b;
const over = (a: number, b: number): number => (b === 0 ? 0 : a / b);

/** Where something placed inside another is in the world that the other is placed in. */
export function placedIn(outer: Placement, inner: Placement): Placement {
  const scaled = combine(outer.scale, inner.position, times);
  return {
    position: combine(outer.position, turn(outer.rotation, scaled), plus),
    rotation: multiply(outer.rotation, inner.rotation),
    scale: combine(outer.scale, inner.scale, times),
  };
}

/** The placement inside another that gives a placement in the world: the reverse of `placedIn`. */
export function relativeTo(outer: Placement, world: Placement): Placement {
  const back = inverse(outer.rotation);
  const offset = combine(world.position, outer.position, minus);
  return {
    position: combine(turn(back, offset), outer.scale, over),
    rotation: multiply(back, world.rotation),
    scale: combine(world.scale, outer.scale, over),
  };
}
