import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { aiSdkModel } from '@jurist/bridges/ai-sdk'
import { describe, test } from 'vitest'
import { modelBridgeContract, type ScriptedServer } from '../../testing/index.js'

const apiKey = 'sk-contract-of-ai-sdk'
const options = { retries: { baseMs: 20 } }
const can = { structured: true, logprobs: true, retries: true }
const at = ({ url }: ScriptedServer) => ({ baseURL: `${url}/v1`, apiKey })
const compatible = (server: ScriptedServer) =>
  createOpenAICompatible({ name: 'local', supportsStructuredOutputs: true, ...at(server) })('m')

modelBridgeContract(
  { describe, test },
  'ai 6, openai-compatible',
  (server) => aiSdkModel(compatible(server), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 6, openai chat',
  (server) => aiSdkModel(createOpenAI(at(server)).chat('m'), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 6, openai responses',
  (server) => aiSdkModel(createOpenAI(at(server))('m'), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 6, anthropic',
  (server) => aiSdkModel(createAnthropic(at(server))('claude-sonnet-4-5'), options),
  { ...can, logprobs: false },
)
