/**
 * Tools over a JSON state, as an MCP server for agents that support MCP, and as functions for other agents.
 *
 * @example
 * import { mcpFixture } from 'jurist/mcp'
 *
 * const clock = mcpFixture({
 *   name: 'clock',
 *   state: { hour: 12 },
 *   tools: { hour: { description: 'The hour of now.', run: (_, { hour }) => ({ result: hour }) } },
 * })
 */
export * from '@jurist/bridges/mcp'
