import type { Json } from '#cocos/document';
import { makeValue } from './field.ts';

type Fields = Record<string, Json>;

const sky = makeValue('cc.Vec4', 0, 0, 0, 0.520833125);
const ground = makeValue('cc.Vec4', 0, 0, 0, 0);

/** What a 2D scene stores besides its nodes, in file order; the name is the field of `cc.SceneGlobals`. */
export const sceneGlobals: readonly { readonly field: string; readonly entry: Fields }[] = [
  {
    field: 'ambient',
    entry: {
      __type__: 'cc.AmbientInfo',
      _skyColorHDR: sky,
      _skyColor: sky,
      _skyIllumHDR: 20_000,
      _skyIllum: 20_000,
      _groundAlbedoHDR: ground,
      _groundAlbedo: ground,
      _skyColorLDR: makeValue('cc.Vec4', 0.2, 0.5, 0.8, 1),
      _skyIllumLDR: 20_000,
      _groundAlbedoLDR: makeValue('cc.Vec4', 0.2, 0.2, 0.2, 1),
    },
  },
  {
    field: 'shadows',
    entry: {
      __type__: 'cc.ShadowsInfo',
      _enabled: false,
      _type: 0,
      _normal: makeValue('cc.Vec3', 0, 1, 0),
      _distance: 0,
      _planeBias: 1,
      _shadowColor: makeValue('cc.Color', 76, 76, 76, 255),
      _maxReceived: 4,
      _size: makeValue('cc.Vec2', 512, 512),
    },
  },
  {
    field: '_skybox',
    entry: {
      __type__: 'cc.SkyboxInfo',
      _envLightingType: 0,
      _envmapHDR: null,
      _envmap: null,
      _envmapLDR: null,
      _diffuseMapHDR: null,
      _diffuseMapLDR: null,
      _enabled: false,
      _useHDR: true,
      _editableMaterial: null,
      _reflectionHDR: null,
      _reflectionLDR: null,
      _rotationAngle: 0,
    },
  },
  {
    field: 'fog',
    entry: {
      __type__: 'cc.FogInfo',
      _type: 0,
      _fogColor: makeValue('cc.Color', 200, 200, 200, 255),
      _enabled: false,
      _fogDensity: 0.3,
      _fogStart: 0.5,
      _fogEnd: 300,
      _fogAtten: 5,
      _fogTop: 1.5,
      _fogRange: 1.2,
      _accurate: false,
    },
  },
  {
    field: 'octree',
    entry: {
      __type__: 'cc.OctreeInfo',
      _enabled: false,
      _minPos: makeValue('cc.Vec3', -1024, -1024, -1024),
      _maxPos: makeValue('cc.Vec3', 1024, 1024, 1024),
      _depth: 8,
    },
  },
  {
    field: 'skin',
    entry: { __type__: 'cc.SkinInfo', _enabled: false, _blurRadius: 0.01, _sssIntensity: 3 },
  },
  {
    field: 'lightProbeInfo',
    entry: {
      __type__: 'cc.LightProbeInfo',
      _giScale: 1,
      _giSamples: 1024,
      _bounces: 2,
      _reduceRinging: 0,
      _showProbe: true,
      _showWireframe: true,
      _showConvex: false,
      _data: null,
      _lightProbeSphereVolume: 1,
    },
  },
  { field: 'postSettings', entry: { __type__: 'cc.PostSettingsInfo', _toneMappingType: 0 } },
];
