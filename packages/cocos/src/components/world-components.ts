import { enums } from './enums.ts';
import {
  asset,
  boolean,
  choice,
  type ComponentSpec,
  defineComponent,
  events,
  type Field,
  integer,
  list,
  makeValue,
  number,
  size,
  string,
  vec2,
  vec3,
} from './field.ts';

const collider2d: readonly Field[] = [
  integer('tag', 0),
  integer('_group', 1),
  number('_density', 1),
  boolean('_sensor', false),
  number('_friction', 0.2),
  number('_restitution', 0),
  vec2('_offset', 0, 0),
];

const collider: readonly Field[] = [
  asset('_material', 'cc.PhysicsMaterial'),
  boolean('_isTrigger', false),
  vec3('_center', 0, 0, 0),
];

const points: Field = {
  ...list('_points', { kind: 'value', type: 'cc.Vec2' }),
  initial: [
    makeValue('cc.Vec2', -1, -1),
    makeValue('cc.Vec2', 1, -1),
    makeValue('cc.Vec2', 1, 1),
    makeValue('cc.Vec2', -1, 1),
  ],
};

const rigidBody2d = defineComponent('cc.RigidBody2D', {}, [
  boolean('enabledContactListener', false),
  boolean('bullet', false),
  boolean('awakeOnLoad', true),
  integer('_group', 1),
  choice('_type', enums.body2dType, 2),
  boolean('_allowSleep', true),
  number('_gravityScale', 1),
  number('_linearDamping', 0),
  number('_angularDamping', 0),
  vec2('_linearVelocity', 0, 0),
  number('_angularVelocity', 0),
  boolean('_fixedRotation', false),
]);

const videoPlayer = defineComponent('cc.VideoPlayer', { requires: ['cc.UITransform'] }, [
  choice('_resourceType', enums.resourceType, 1),
  string('_remoteURL', ''),
  asset('_clip', 'cc.VideoClip'),
  boolean('_playOnAwake', true),
  number('_volume', 1),
  boolean('_mute', false),
  number('_playbackRate', 1),
  boolean('_loop', false),
  boolean('_fullScreenOnAwake', false),
  boolean('_stayOnBottom', false),
  boolean('_keepAspectRatio', true),
  events('videoPlayerEvent'),
]);

/** Components of sound, movement and physics. */
export const worldComponents: readonly ComponentSpec[] = [
  defineComponent('cc.AudioSource', {}, [
    asset('_clip', 'cc.AudioClip'),
    boolean('_loop', false),
    boolean('_playOnAwake', true),
    number('_volume', 1),
  ]),
  defineComponent('cc.Animation', { single: true }, [
    boolean('playOnLoad', false),
    list('_clips', { kind: 'asset', type: 'cc.AnimationClip' }),
    asset('_defaultClip', 'cc.AnimationClip'),
  ]),
  videoPlayer,
  defineComponent('cc.WebView', { requires: ['cc.UITransform'] }, [
    string('_url', 'https://cocos.com'),
    events('webviewEvents'),
  ]),
  rigidBody2d,
  defineComponent('cc.BoxCollider2D', {}, [...collider2d, size('_size', 1, 1)]),
  defineComponent('cc.CircleCollider2D', {}, [...collider2d, number('_radius', 1)]),
  defineComponent('cc.PolygonCollider2D', {}, [...collider2d, points]),
  defineComponent('cc.RigidBody', { single: true }, [
    integer('_group', 1),
    choice('_type', enums.bodyType, 1),
    number('_mass', 1),
    boolean('_allowSleep', true),
    number('_linearDamping', 0.1),
    number('_angularDamping', 0.1),
    boolean('_useGravity', true),
    vec3('_linearFactor', 1, 1, 1),
    vec3('_angularFactor', 1, 1, 1),
  ]),
  defineComponent('cc.BoxCollider', {}, [...collider, vec3('_size', 1, 1, 1)]),
];
