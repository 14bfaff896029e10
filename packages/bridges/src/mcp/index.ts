/**
 * Tools over a JSON state, as an MCP server for any agent that speaks MCP, and as functions for any other.
 *
 * @example
 * import { mcpFixture } from '@jurist/bridges/mcp'
 *
 * const clock = mcpFixture({
 *   name: 'clock',
 *   state: { hour: 12 },
 *   tools: { hour: { description: 'The hour of now.', run: (_, { hour }) => ({ result: hour }) } },
 * })
 */
import '../errors.js'

export { type McpFixture, type McpSession, mcpFixture } from './fixture.js'
export type { McpServer } from './server.js'
export type { McpAnswer, McpFault, McpFixtureOptions, McpTool } from './tools.js'
