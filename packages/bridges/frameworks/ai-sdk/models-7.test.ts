import { aiSdkModel } from '@jurist/bridges/ai-sdk'
import { createAnthropic } from 'ai-sdk-anthropic-4'
import { createOpenAI } from 'ai-sdk-openai-4'
import { createOpenAICompatible } from 'ai-sdk-openai-compatible-3'
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
  'ai 7, openai-compatible',
  (server) => aiSdkModel(compatible(server), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 7, openai chat',
  (server) => aiSdkModel(createOpenAI(at(server)).chat('m'), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 7, openai responses',
  (server) => aiSdkModel(createOpenAI(at(server))('m'), options),
  can,
)
modelBridgeContract(
  { describe, test },
  'ai 7, anthropic',
  (server) => aiSdkModel(createAnthropic(at(server))('claude-sonnet-4-5'), options),
  { ...can, logprobs: false },
)
