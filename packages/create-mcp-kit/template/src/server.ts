#!/usr/bin/env node
import { serve } from 'mcp-kit';
import { server } from './tools.ts';

await serve(server);
