import type {
  PermissionOption,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { acpAgent } from '@jurist/bridges/acp'
import { expectTypeOf } from 'vitest'
import type { AcpPermissionOption, AcpPermissionRequest, AcpToolCallUpdate } from '../../src/acp/shape.js'

// What the protocol sends fits what is read.
expectTypeOf<ToolCallUpdate>().toExtend<AcpToolCallUpdate>()
expectTypeOf<PermissionOption>().toExtend<AcpPermissionOption>()
expectTypeOf<RequestPermissionRequest>().toExtend<AcpPermissionRequest>()
expectTypeOf(PROTOCOL_VERSION).toExtend<number>()

// What is answered fits what the protocol takes.
type Selected = { outcome: { outcome: 'selected'; optionId: string } }
expectTypeOf<Selected>().toExtend<RequestPermissionResponse>()
expectTypeOf<{ outcome: { outcome: 'cancelled' } }>().toExtend<RequestPermissionResponse>()

// The words of the protocol that the bridge knows.
type Reason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'
expectTypeOf<StopReason>().toEqualTypeOf<Reason>()
expectTypeOf<PromptResponse['stopReason']>().toEqualTypeOf<Reason>()
type Kind = 'agent_message_chunk' | 'agent_thought_chunk' | 'tool_call' | 'tool_call_update' | 'plan' | 'usage_update'
expectTypeOf<Kind>().toExtend<SessionUpdate['sessionUpdate']>()

// @ts-expect-error a command begins with a program
acpAgent({ command: [] })
// @ts-expect-error a command is never a line for a shell
acpAgent({ command: 'claude-agent-acp' })
