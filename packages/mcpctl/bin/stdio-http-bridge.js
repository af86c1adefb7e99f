#!/usr/bin/env node
// The bridge as hosts start it: standard input and output here, the server at a URL there.
process.env.COCOS_MCP_HTTP_URL ??= 'http://127.0.0.1:3000/mcp';
process.argv.splice(2, 0, 'bridge');
require('./mcpctl.js');
