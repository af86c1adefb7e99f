import { builtInComponents } from '#cocos/components';

const others = `
animation.AnimationController BatchedSkinningModelComponent Billboard BlitScreen Bloom BoxCharacterController BoxCollider
BoxCollider2D CapsuleCharacterController CapsuleCollider CharacterController CircleCollider2D Collider Collider2D ColorGrading
ConeCollider ConfigurableConstraint ConstantForce Constraint CylinderCollider DebugViewRuntimeControl DirectionalLight
DistanceJoint2D DOF FixedConstraint FixedJoint2D FSR FXAA HBAO HingeConstraint HingeJoint2D Joint2D Light LightProbeGroup Line
LODGroup MeshCollider MeshRenderer MissingScript ModelRenderer MotionStreak MouseJoint2D ParticleSystem ParticleSystem2D
PlaneCollider PointLight PointToPointConstraint PolygonCollider2D PostProcess RangedDirectionalLight ReflectionProbe
RelativeJoint2D RenderRoot2D RigidBody RigidBody2D SimplexCollider SkeletalAnimation Skeleton SkinnedMeshBatchRenderer
SkinnedMeshRenderer SkinnedMeshUnit SliderJoint2D SphereCollider SphereLight SpotLight SpringJoint2D SpriteRenderer
SubContextView TAA Terrain TerrainCollider TiledLayer TiledMap TiledObjectGroup TiledTile TiledUserNodeData
UICoordinateTracker UIMeshRenderer UIReorderComponent UISkew UIStaticBatch VideoPlayer ViewGroup WebView WheelJoint2D
XRController XRInteractable XRInteractor
`;

/** The names under which files store components of the engine. */
export const engineComponents: ReadonlySet<string> = new Set([
  ...builtInComponents.keys(),
  ...others
    .trim()
    .split(/\s+/)
    .map((name) => `cc.${name}`),
]);

/** The scripts that the engine brings to every project: its pipeline and its debug view. */
export const engineScripts: ReadonlySet<string> = new Set([
  'de1c2107-70c8-4021-8459-6399f24d01c6',
  'ff9b0199-ce04-4cfe-86cc-6c719f08d6e4',
  'cbf30902-517f-40dc-af90-a550bac27cf1',
  'b2bd1fa7-8d7c-49c5-a158-df29a6d3a594',
]);
