/** Lines of `uuid path`: what the engine brings as `db://internal` and projects refer to. */
export const plainAssets = `
2be36297-9abb-4fee-8049-9ed5e271da8a default-video.mp4
8c76e1e2-a206-4662-aa79-42c0c858d647 default_file_content/animation-clip/default.anim
e0a8e34d-9242-4f0f-833b-f57e1ffbf285 default_file_content/animation-graph/default.animgraph
eb9a3479-6087-45cb-82bc-d72e2aa6e9ef default_file_content/animation-graph-variant/default.animgraphvari
51840015-b47a-4103-a937-6c21a29e4410 default_file_content/animation-mask/default.animask
e220b271-6a70-47c0-8d12-850150694608 default_file_content/auto-atlas/default.pac
b546c596-5f73-40be-a426-cff8df144ac8 default_file_content/effect/default.effect
6c68ba5e-4590-4a25-bd25-430a0ebc1544 default_file_content/effect/effect-surface.effect
39a1ade8-a6ad-40df-8039-970d97bdd80d default_file_content/label-atlas/default.labelatlas
8f8bba83-df9c-4afe-8450-e12d0dbe71b7 default_file_content/material/default.mtl
ad05fddb-302f-40f5-81d2-27f671ddf0b6 default_file_content/physics-material/default.pmtl
97b0783e-89f6-49d8-900b-3462bb9cfb04 default_file_content/prefab/default.prefab
c7e748e8-be82-4f6f-b2c0-085b604e40e5 default_file_content/render-pipeline/default.rpp
22a135d0-b2ef-4c1b-86d2-5bbbd88e4875 default_file_content/render-pipeline/forward-pipeline.rpp
3b7550e2-beea-4079-ad8d-dfef104086bd default_file_content/scene/default.scene
0359b2f1-3a37-43fa-9c1c-bbe2b353ea1f default_file_content/scene/scene-2d.scene
1d5e3139-1826-4b4a-8c4c-2e7b6874a474 default_file_content/scene/scene-quality.scene
d4291b1a-5207-4c88-b981-348fbf50dc68 default_file_content/terrain/default.terrain
87c7bea4-faed-46d2-b01d-8d3f4dfb4666 default_fonts/builtin-bitmap/OpenSans-Bold.fnt
0e4dafe1-3c4f-4c6c-a771-ee17c40bba6f default_fonts/builtin-bitmap/OpenSans-BoldItalic.fnt
92c25386-f55c-4016-b204-6ef59b156340 default_fonts/builtin-bitmap/OpenSans-Italic.fnt
5716f722-8eba-466c-980d-652f561353d8 default_fonts/builtin-bitmap/OpenSans-Regular.fnt
b5475517-23b9-4873-bc1a-968d96616081 default_fonts/builtin-freetype/OpenSans-Bold.ttf
b23391b6-52eb-46a6-8da1-6244d9d315fb default_fonts/builtin-freetype/OpenSans-BoldItalic.ttf
0ed97c56-390e-4dd1-96b7-e7f2d93a98ed default_fonts/builtin-freetype/OpenSans-Italic.ttf
0835f102-5471-47a3-9a76-01c07ac9cdb2 default_fonts/builtin-freetype/OpenSans-Regular.ttf
78e0584a-4343-4727-8f37-e14e65c2a2db default_materials/default-billboard-material.mtl
8bbdbcdd-5cd4-4100-b6d5-b7c9625b6107 default_materials/default-clear-stencil.mtl
c31a901b-671b-4c3d-9246-f9a6e5f14b90 default_materials/default-material-transparent.mtl
d3c7820c-2a98-4429-8bc7-b8453bc9ac41 default_materials/default-material.mtl
14da1725-c4c2-42b4-ab08-ee0aeb6898b3 default_materials/default-particle-gpu-material.mtl
c0143906-9aed-447e-9436-2ae8512d1b6e default_materials/default-particle-material.mtl
b5d6115f-0370-4d7c-aad3-c194cc71cf98 default_materials/default-spine-material.mtl
ade8a15a-dcca-4b3c-84c6-f6476ac875bb default_materials/default-sprite-renderer-material.mtl
081cab31-dccd-428e-8652-f2404cc81c47 default_materials/default-trail-material.mtl
bcd64cc6-2dd9-43f6-abbe-66318d332032 default_materials/missing-effect-material.mtl
d930590d-bb92-4cc8-8bd1-23cd027f9edf default_materials/missing-material.mtl
ea7478b0-408d-4052-b703-f0d2355e095f default_materials/particle-add.mtl
620b6bf3-0369-4560-837f-2a2c00b73c26 default_materials/standard-material.mtl
50f4348b-c883-4e2f-8f11-ce233b859fa1 default_materials/ui-alpha-test-material.mtl
e9aa9a3e-5b2b-4ac7-a2c7-073de2b2b24f default_materials/ui-base-material.mtl
f0416e68-0200-4b77-a926-4f9d16e494da default_materials/ui-graphics-material.mtl
f92806d7-1768-443f-afe8-12bcde84d0f0 default_materials/ui-sprite-alpha-sep-material.mtl
dd3a144d-ab7f-41f0-82b8-2e43a090d496 default_materials/ui-sprite-gray-alpha-sep-material.mtl
efe8e2a3-eace-427b-b4f1-cb8a937ec77d default_materials/ui-sprite-gray-material.mtl
fda095cb-831d-4601-ad94-846013963de8 default_materials/ui-sprite-material.mtl
3487d118-0158-4983-93fe-c3822790e7c5 default_prefab/2d/Camera.prefab
4c33600e-9ca9-483b-b734-946008261697 default_prefab/2d/ui/Canvas.prefab
73ce1f7f-d1f4-4942-ad93-66ca3b3041ab default_prefab/3d/Capsule.prefab
6350d660-e888-4acf-a552-f3b719ae9110 default_prefab/3d/Cone.prefab
30da77a1-f02d-4ede-aa56-403452ee7fde default_prefab/3d/Cube.prefab
ab3e16f9-671e-48a7-90b7-d0884d9cbb85 default_prefab/3d/Cylinder.prefab
40563723-f8fc-4216-99ea-a81636435c10 default_prefab/3d/Plane.prefab
34a07346-9f62-4a84-90ae-cb83f7a426c1 default_prefab/3d/Quad.prefab
655c9519-1a37-472b-bae6-29fefac0b550 default_prefab/3d/Sphere.prefab
d47f5d5e-c931-4ff4-987b-cc818a728b82 default_prefab/3d/Torus.prefab
bb0a6472-cd67-4afb-a031-94fca8f4cc92 default_prefab/Camera.prefab
90e8b0d4-12dc-412d-9156-ea1fdb18c15b default_prefab/Terrain.prefab
f09a0597-10e6-49e5-8759-a148b5e85395 default_prefab/effects/Particle System.prefab
a0e9756d-9128-4f49-8097-e041c8b733b8 default_prefab/light/Directional Light.prefab
50dfda40-7c45-4868-a876-2fe2a4c782f4 default_prefab/light/Light Probe Group.prefab
03029371-ee64-4f14-820a-d495ad7cdc29 default_prefab/light/Point Light.prefab
df72d0f6-49d3-452a-b082-8b23d38b33af default_prefab/light/Ranged Directional Light.prefab
d8b49b64-cfba-4cfa-be53-1e469547b28b default_prefab/light/Reflection Probe.prefab
4182ee46-ffa0-4de2-b66b-c93cc6c7e9b8 default_prefab/light/Sphere Light.prefab
7a49aa24-bd7a-40a8-b31a-b2a9da85abcd default_prefab/light/Spot Light.prefab
90bdd2a9-2838-4888-b66c-e94c8b7a5169 default_prefab/ui/Button.prefab
f773db21-62b8-4540-956a-29bacf5ddbf5 default_prefab/ui/Canvas.prefab
05e79121-8675-4551-9ad7-1b901a4025db default_prefab/ui/EditBox.prefab
c96e159e-43ea-4a16-8279-05bc39119d1a default_prefab/ui/Graphics.prefab
36008810-7ad3-47c0-8112-e30aee089e45 default_prefab/ui/Label.prefab
a9ef7dfc-ea8b-4cf8-918e-36da948c4de0 default_prefab/ui/Layout.prefab
7fa63aed-f3e2-46a5-8a7c-c1a1adf6cea6 default_prefab/ui/Mask.prefab
f396261e-3e06-41ec-bdd6-9a8b6d99026f default_prefab/ui/ParticleSystem2D.prefab
0d9353c4-6fb9-49bb-bc62-77f1750078c2 default_prefab/ui/ProgressBar.prefab
fc6bfcfa-8086-4326-809b-0ba1226bac7d default_prefab/ui/RichText.prefab
c1baa707-78d6-4b89-8d5d-0b7fdf0c39bc default_prefab/ui/ScrollView.prefab
2bd7e5b6-cd8c-41a1-8136-ddb8efbf6326 default_prefab/ui/Slider.prefab
9db8cd0b-cbe4-42e7-96a9-a239620c0a9d default_prefab/ui/Sprite.prefab
279ed042-5a65-4efe-9afb-2fc23c61e15a default_prefab/ui/SpriteRenderer.prefab
e5f21aad-3a69-4011-ac62-b74352ac025e default_prefab/ui/SpriteSplash.prefab
3139fa4f-8c42-4ce6-98be-15e848d9734c default_prefab/ui/TiledMap.prefab
0e89afe7-56de-4f99-96a1-cba8a75bedd2 default_prefab/ui/Toggle.prefab
2af73429-41d1-4346-9062-7798e42945dd default_prefab/ui/ToggleContainer.prefab
7e089eaf-fa97-40d7-8a20-741a152585df default_prefab/ui/VideoPlayer.prefab
9c541fa2-1dc8-4d8b-813a-aec89133f5b1 default_prefab/ui/WebView.prefab
36ed4422-3542-4cc4-bf02-dc4bfc590836 default_prefab/ui/Widget.prefab
20a5d8cb-ccad-4543-a937-fccd98c9f3de default_prefab/ui/pageView.prefab
ffb54b0a-924d-4e26-9475-565d07d28443 default_renderpipeline/builtin-bloom.mtl
0609709f-6fe6-4f01-97f0-bbc700a973e8 default_renderpipeline/builtin-color-grading.mtl
5d45ba66-829a-46d3-948e-2ed3fa7ee421 default_renderpipeline/builtin-deferred.rpp
8af64728-cb91-4594-b5e9-364a46b70c17 default_renderpipeline/builtin-depth-of-field.mtl
fd8ec536-a354-4a17-9c74-4f3883c378c8 default_renderpipeline/builtin-forward.rpp
42ee9684-6100-4202-bc1a-90c9c440c410 default_renderpipeline/builtin-fsr.mtl
025b97cc-7a78-444c-96f9-d1627ac0b44c default_renderpipeline/builtin-fxaa.mtl
732e6703-6e2d-43d6-a5e2-6d9c0c6fe2ee default_renderpipeline/builtin-tone-mapping.mtl
016951c5-5a09-4dd0-9bb7-f4958a82d690 default_renderpipeline/deferred-lighting.mtl
85c4d630-c264-4b18-90a4-c52d594e6099 default_renderpipeline/post-process.mtl
9d9704d8-08b4-4917-ba47-9d778bc77ac6 default_renderpipeline/tonemap.mtl
86f25d5c-9de5-454f-a5f9-ee16603e6701 default_ui/atom.plist
e17b4526-57a2-48d3-acc9-cf09f30aa138 default_ui/atom_new.plist
304a12db-3955-46e4-b712-e5e26f45258b effects/advanced/car-paint.effect
f0475923-826e-45dc-85cc-b5d9c2b220e9 effects/advanced/eye.effect
b25c7601-1d07-4a56-86c5-62e83ea7c61e effects/advanced/fabric.effect
f288f946-150b-443d-b4b3-0227c5117c93 effects/advanced/glass.effect
fc0ce5f8-063d-42da-b13a-2fad25abb951 effects/advanced/hair.effect
e396231e-43c6-4547-86f5-0ef92bf154ce effects/advanced/leaf.effect
472c676f-9f77-4c8d-b550-17825aa0176b effects/advanced/simple-skin.effect
4a31bd46-8da1-4d9a-add5-9ac43967159e effects/advanced/skin.effect
6308c013-7d49-4160-9516-562dd205b480 effects/advanced/sky.effect
113a72d8-20cd-42cd-ba96-37cc1046971a effects/advanced/water.effect
fe0128c2-5496-4330-880a-cfee413aabf2 effects/builtin-reflection-probe-preview.effect
c8f66d17-351a-48da-a12c-0212d28575c4 effects/builtin-standard.effect
a0fd9f76-74fe-423c-92d9-298906c189ba effects/builtin-terrain.effect
9b20a514-6cc3-49de-b216-b6b863046249 effects/builtin-toon.effect
a3cd009f-0ab0-420d-9278-b9fdab939bbc effects/builtin-unlit.effect
c27215d8-6835-4b68-bfbb-bdeac6100c04 effects/for2d/builtin-spine.effect
6ef1defe-7997-477a-9b35-c18859ff8066 effects/for2d/builtin-sprite-renderer.effect
60f7195c-ec2a-45eb-ba94-8955f60e81d0 effects/for2d/builtin-sprite.effect
bf4078d6-d2d7-4073-83bb-cd6f1802e880 effects/internal/builtin-camera-texture.effect
810e96e4-e456-4468-9b59-f4e8f39732c0 effects/internal/builtin-clear-stencil.effect
ff9be190-20a4-4e48-b68c-76e3c7cff085 effects/internal/builtin-debug-renderer.effect
4bb480dd-8384-4bc9-987f-de67cc53052a effects/internal/builtin-geometry-renderer.effect
1c02ae6f-4492-4915-b8f8-7492a3b1e4cd effects/internal/builtin-graphics.effect
d9937e59-61fe-4ec6-92ab-7ac5a19c89b0 effects/internal/builtin-occlusion-query.effect
99498f84-efe6-43a6-a9a7-e6e93eb845c1 effects/internal/builtin-reflection-deferred.effect
81127eb0-7556-453c-b147-670782dd5e53 effects/internal/builtin-wireframe.effect
1baf0fc9-befa-459c-8bdd-af1a450a0319 effects/legacy/standard.effect
1d08ef62-a503-4ce2-8b9a-46c90873f7d3 effects/legacy/terrain.effect
a7612b54-35e3-4238-a1a9-4a7b54635839 effects/legacy/toon.effect
711ebe11-f673-4cd9-9a83-63c60ba54c5b effects/particles/builtin-billboard.effect
971bdb23-3ff6-43eb-b422-1c30165a3663 effects/particles/builtin-particle-gpu.effect
17debcc3-0a6b-4b8a-b00b-dc58b885581e effects/particles/builtin-particle-trail.effect
e38f81af-70ec-4f7a-b377-767b0ec76377 effects/particles/builtin-particle-xr-trail.effect
d1346436-ac96-4271-b863-1f4fdead95b0 effects/particles/builtin-particle.effect
45e7c0c8-2699-4912-b45f-d42bb8384189 effects/pipeline/cluster-build.effect
84ac6f69-3086-455a-86a4-561da8ee710b effects/pipeline/cluster-culling.effect
5c601d96-e4c7-4698-991b-7ee674b11079 effects/pipeline/copy-pass.effect
5d45aa00-e064-4938-b314-4265f0c2258c effects/pipeline/deferred-lighting.effect
8f6ac413-2f1e-4b88-b26f-54556b5dd510 effects/pipeline/float-output-process.effect
9361fd90-ba52-4f84-aa93-6e878fd576ca effects/pipeline/planar-shadow.effect
15049ccd-4dd7-451e-a8ae-af66735c929e effects/pipeline/post-process/blit-screen.effect
28d6d6b8-3f66-4a73-9795-17a0852ba2d4 effects/pipeline/post-process/bloom.effect
10f0d9bc-5c9e-4216-9a94-f3a2ff53bb5f effects/pipeline/post-process/bloom1.effect
cafd95c9-c558-46f9-9812-1224b65c09ee effects/pipeline/post-process/color-grading.effect
9d1cff46-e352-4b6d-b4ba-c3a0010c0c5d effects/pipeline/post-process/color-grading1.effect
bf0a6d94-58f0-4ad2-bdf2-c4a31c7dd856 effects/pipeline/post-process/dof.effect
d0efaeb0-746c-4032-9cf5-772a9681f89b effects/pipeline/post-process/dof1.effect
4361db28-3f24-44cc-8e51-32ee5fd651ac effects/pipeline/post-process/fsr.effect
32990113-cbb8-4435-8d07-5ccdbf0c0a43 effects/pipeline/post-process/fsr1.effect
2df0a40b-26c2-47ce-be0d-4d3cd4164737 effects/pipeline/post-process/fxaa-hq.effect
58c5b54c-b5df-41fd-9824-fae746c5af2a effects/pipeline/post-process/fxaa-hq1.effect
dace6a58-1705-48c7-a275-70afc9534e88 effects/pipeline/post-process/hbao.effect
521c5f6e-1a26-42e2-8108-4400c912d9bf effects/pipeline/post-process/post-final.effect
4c3ce6de-e6d1-47f7-aa36-36b9b58f72d3 effects/pipeline/post-process/taa.effect
6a2d0734-bd9e-4ddf-946e-caa52498cb75 effects/pipeline/post-process/tone-mapping.effect
ec8106fe-05bf-4e94-943c-e0d3b7bb5e45 effects/pipeline/post-process.effect
511d2633-09a7-4bdd-ac42-f778032124b3 effects/pipeline/skybox.effect
6624c63c-0e3d-4d5f-bd15-a7805b71c521 effects/pipeline/smaa.effect
39f74202-ead5-4a45-b966-273d526adbf1 effects/pipeline/ssss-blur.effect
31b152ff-f689-4082-a292-3eb5a0b33014 effects/pipeline/tonemap.effect
f1556893-88b6-4c65-8c16-a5256ef3ad25 effects/util/batched-unlit.effect
2ec11458-f855-4978-b14d-f3ed5cf697fa effects/util/dcc/imported-metallic-roughness.effect
f648964e-8d32-41fc-9ac9-7a1e714dd17b effects/util/dcc/imported-specular-glossiness.effect
fbc18e4a-ab74-48df-9106-38e7bd10ff25 effects/util/dcc/vat/houdini-fluid-v3-liquid.effect
08c6d756-c02f-48a2-9e8a-55ec59a8f83d effects/util/dcc/vat/houdini-rigidbody-v2.effect
c3e70c74-2523-40e6-a4e5-4abfa1849608 effects/util/dcc/vat/houdini-softbody-v3.effect
6ce2c98a-5c87-4066-90aa-7be93bcbb738 effects/util/dcc/vat/zeno-fluid-liquid.effect
871c3b6c-7379-419d-bda3-794b239ab90d effects/util/profiler.effect
27cc5a0b-ec0b-4a67-98cf-b42d4fa971de effects/util/sequence-anim.effect
970b0598-bcb0-4714-91fb-2e81440dccd8 effects/util/splash-screen.effect
ba21476f-2866-4f81-9c4d-6e359316e448 physics/default-physics-material.pmtl
1263d74c-8167-4928-91a6-4e2672411f47@17020 primitives.fbx/sphere.mesh
1263d74c-8167-4928-91a6-4e2672411f47@801ec primitives.fbx/capsule.mesh
1263d74c-8167-4928-91a6-4e2672411f47@2e76e primitives.fbx/plane.mesh
1263d74c-8167-4928-91a6-4e2672411f47@38fd2 primitives.fbx/cone.mesh
1263d74c-8167-4928-91a6-4e2672411f47@40ece primitives.fbx/torus.mesh
1263d74c-8167-4928-91a6-4e2672411f47@fc873 primitives.fbx/quad.mesh
1263d74c-8167-4928-91a6-4e2672411f47@8abdc primitives.fbx/cylinder.mesh
1263d74c-8167-4928-91a6-4e2672411f47@a804a primitives.fbx/box.mesh
`;

/** Images that also hold a texture. */
export const textureImages = `
b5b27ab1-e740-4398-b407-848fc2b2c897 Default-Particle.png
52ef29ed-bd92-4e94-ab2f-0ebc91bf3a60 default-terrain/default-layer-texture.jpg
03721795-84b1-4dcd-8eb3-c8e6b88ee535 default_cubemap/back.jpg
e049bea9-db6b-463b-8502-61bf426357a1 default_cubemap/bottom.jpg
86eb75aa-3b2f-4c7b-b59e-bdc2e3984665 default_cubemap/front.jpg
61ac0181-00bd-4c17-97f0-5fc7f4bafb3d default_cubemap/left.jpg
80aabd92-9942-4765-b685-8577a1c88b4e default_cubemap/right.jpg
6c895e98-967e-4a6d-8c08-bf6b035fa2c1 default_cubemap/top.jpg
ca7e121b-293c-4763-829a-b7a5fa81f0d2 default_ui/default_toggle_disabled.png
10b516ad-ae94-468a-a050-11ce19d40c3d dependencies/textures/lut/original-color-grading.png
b078dcad-656d-4ba3-b76e-70c88e63e045 dependencies/textures/preintegrated-skin.png
`;

/** Images that also hold a texture and a sprite frame. */
export const spriteImages = `
35ac62e8-0b7a-4367-970d-dfdfbdd023c6 default_fonts/builtin-bitmap/OpenSans-BoldItalic_0.png
c903a495-69a9-4bb1-8266-c5d8a692ee6f default_fonts/builtin-bitmap/OpenSans-Bold_0.png
1a8fc1a3-80e2-4d20-9087-426d2162ba44 default_fonts/builtin-bitmap/OpenSans-Italic_0.png
744d520a-8483-4fbc-a47b-ab57d28d6203 default_fonts/builtin-bitmap/OpenSans-Regular_0.png
24c419ea-63a8-4ea1-a9d0-7fc469489bbc default_ui/atom.png
951249e0-9f16-456d-8b85-a6ca954da16b default_ui/default_btn_disabled.png
20835ba4-6145-4fbc-a58a-051ce700aa3e default_ui/default_btn_normal.png
544e49d6-3f05-4fa8-9a9e-091f98fc2ce8 default_ui/default_btn_pressed.png
bd1bcaba-bd7d-4a71-b143-997c882383e4 default_ui/default_editbox_bg.png
b730527c-3233-41c2-aaf7-7cdab58f9749 default_ui/default_panel.png
24a704da-2867-446d-8d1a-5e920c75e09d default_ui/default_progressbar.png
9fd900dd-221b-4f89-8f2c-fba34243c835 default_ui/default_progressbar_bg.png
f12a23c4-b924-4322-a260-3d982428f1e8 default_ui/default_radio_button_off.png
45828f25-b50d-4c52-a591-e19491a62b8c default_ui/default_radio_button_on.png
0da256a2-21f6-481b-90b6-d3643a09179b default_ui/default_scrollbar.png
28765e2f-040a-4c65-8e8c-f9d0bb79d863 default_ui/default_scrollbar_bg.png
afc47931-f066-46b0-90be-9fe61f213428 default_ui/default_scrollbar_vertical.png
ffb88a8f-af62-48f4-8f1d-3cb606443a43 default_ui/default_scrollbar_vertical_bg.png
57520716-48c8-4a19-8acf-41c9f8777fb0 default_ui/default_sprite.png
7d8f9b89-4fd1-4c9f-a3ab-38ec7cded7ca default_ui/default_sprite_splash.png
158e7e52-3220-4cd7-9694-713e0e6e8278 default_ui/default_toggle_checkmark.png
11bdc4b0-64a8-4eb7-a2a7-9fb9e233e977 default_ui/default_toggle_normal.png
a04e994f-ee49-47b6-9d08-2f59e3773fcc default_ui/default_toggle_pressed.png
`;

/** Images that also hold a cube of textures. */
export const cubeImages = `
d032ac98-05e1-4090-88bb-eb640dcb5fc1 default_skybox/default_skybox.hdr
6f01cf7f-81bf-4a7e-bd5d-0afc19696480 default_skybox/default_skybox.png
`;
