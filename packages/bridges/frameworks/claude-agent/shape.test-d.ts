import type { Options, SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { claudeAgent, claudeModel, contextFromClaudeAgent } from '@jurist/bridges/claude-agent'
import { expectTypeOf } from 'vitest'
import type { ClaudeMessage } from '../../src/claude-agent/agent.js'

// The real function fits, and so do its messages.
claudeAgent({ query })
claudeModel({ query, model: 'claude-haiku-4-5' })
expectTypeOf<SDKMessage>().toExtend<ClaudeMessage>()
contextFromClaudeAgent([] as SDKMessage[], { goal: 'Say hello' })
contextFromClaudeAgent({} as SDKResultMessage, { goal: 'Say hello' })

// Each option that the bridge sets is one that the SDK has, with a value that it takes.
expectTypeOf<{
  permissionMode: 'dontAsk' | 'acceptEdits' | 'bypassPermissions'
  allowDangerouslySkipPermissions: true
  tools: string[]
  allowedTools: string[]
  settingSources: []
  strictMcpConfig: true
  persistSession: false
  permissionPrompts: 'none'
  model: string
  systemPrompt: { type: 'preset'; preset: 'claude_code'; append: string }
  outputFormat: { type: 'json_schema'; schema: Record<string, unknown> }
  stderr: (text: string) => void
  cwd: string
  env: Record<string, string>
  abortController: AbortController
}>().toExtend<Options>()

// @ts-expect-error a client is no query
claudeAgent({ query: { messages: {} } })
// @ts-expect-error a promise is no stream of messages
claudeAgent({ query: async () => ({ type: 'result' }) })
// @ts-expect-error a context needs a goal
contextFromClaudeAgent([], {})
