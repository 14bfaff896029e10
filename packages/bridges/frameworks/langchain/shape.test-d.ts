import type { LangChainModel, LangChainResult } from '@jurist/bridges/langchain'
import { contextFromLangChain, langChainModel } from '@jurist/bridges/langchain'
import type { Document } from '@langchain/core/documents'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatOpenAI } from '@langchain/openai'
import { expectTypeOf } from 'vitest'
import type { LangChainDocument } from '../../src/langchain/reading.js'
import type { LangChainMessage } from '../../src/langchain/runs.js'

// Messages of every class fit, alone, in a list and in the state of an agent.
expectTypeOf<AIMessage>().toExtend<LangChainMessage>()
expectTypeOf<AIMessageChunk>().toExtend<LangChainMessage>()
expectTypeOf<HumanMessage>().toExtend<LangChainMessage>()
expectTypeOf<ToolMessage>().toExtend<LangChainMessage>()
expectTypeOf<AIMessage>().toExtend<LangChainResult>()
expectTypeOf<BaseMessage[]>().toExtend<LangChainResult>()
expectTypeOf<{ messages: BaseMessage[]; structuredResponse: { answer: string } }>().toExtend<LangChainResult>()
expectTypeOf<Document>().toExtend<LangChainDocument>()

// Chat models fit, and what `withStructuredOutput` makes of them.
expectTypeOf<BaseChatModel>().toExtend<LangChainModel>()
expectTypeOf<ChatOpenAI>().toExtend<LangChainModel>()
expectTypeOf<ReturnType<ChatOpenAI['withStructuredOutput']>>().toExtend<LangChainModel>()

// @ts-expect-error the name of a model is no model
langChainModel('gpt-5-mini')
// @ts-expect-error a text is no result
contextFromLangChain('Hello', { goal: 'Say hello' })
// @ts-expect-error a context needs a goal
contextFromLangChain([], {})
