/**
 * The Claude Agent SDK and Claude Code as agents and as models.
 *
 * @example
 * import { claudeAgent } from 'jurist/claude-agent'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/claude-agent'
