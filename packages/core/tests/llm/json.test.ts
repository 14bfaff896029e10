import { fail, pass, runJudge } from '@jurist/core'
import type { JudgeModelResponse, StandardSchema } from '@jurist/core/llm'
import { json, modelJudge } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

interface Risk {
  readonly risk: number
}

/** A schema by hand, as any library of the Standard Schema would make it. */
const schema: StandardSchema<Risk> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) =>
      typeof (value as Risk | null)?.risk === 'number'
        ? { value: value as Risk }
        : { issues: Array.from({ length: 7 }, (_, index) => ({ message: `issue ${index + 1}` })) },
  },
}
const classify = json(schema, ({ risk }) =>
  risk < 3 ? pass('low', { metadata: { risk } }) : fail('high', { metadata: { risk } }),
)
const read = (response: JudgeModelResponse) => classify(response, aContext())

describe('json', () => {
  test.each([
    ['the whole text', '{"risk": 1}', 1],
    ['the whole text, with space around', '\n {"risk": 1}\n', 1],
    ['a fenced block', 'So:\n```json\n{"risk": 2}\n```\nDone.', 2],
    ['a fenced block after a draft', 'A draft: {"risk": 9}\n```json\n{"risk": 2}\n```', 2],
    ['the only block that parses', '```\nnot this\n```\n```\n{"risk": 2}\n```', 2],
    ['equal blocks', '```\n{"risk": 2, "a": 1}\n```\n```json\n{"a":1,"risk":2}\n```', 2],
    ['a part of the text', 'My answer is {"risk": 4} as said.', 4],
    ['braces in prose beside it', 'In {this} case [sic]: {"risk": 4}', 4],
    ['an open brace before it', 'Say { and then {"risk": 4}', 4],
    ['braces within strings', 'It is {"risk": 4, "why": "a } or \\" ] {"}', 4],
    ['a part within a part', 'It is {"risk": 4, "more": {"risk": 5}}', 4],
    ['characters without width', '\u200b{"risk"\u200b: 4\ufeff}', 4],
    ['full-width signs', '｛"risk"：４｝', 4],
    ['an inline block', 'Here: ```{"risk": 4}```', 4],
  ])('%s', async (_, text, risk) => expect((await read({ text })).metadata).toEqual({ risk }))
  test.each([
    ['nothing', 'no risk at all', 'none'],
    ['empty', '', 'none'],
    ['broken', '{"risk": 1', 'none'],
    ['two blocks that differ', '```\n{"risk": 1}\n```\n```\n{"risk": 2}\n```', 'ambiguous'],
    ['two parts that differ', '{"risk": 1} or {"risk": 2}', 'ambiguous'],
    ['a fenced block and another value after it', 'So:\n```json\n{"risk": 2}\n```\nDone {"risk": 9}', 'ambiguous'],
    ['nested too deep', '['.repeat(100_000) + ']'.repeat(100_000), 'none'],
    ['a list and an object', '[1] {"risk": 2}', 'ambiguous'],
  ])('%s: abstains', async (_, text, unread) => {
    expect(await read({ text })).toMatchObject({ status: 'abstain', metadata: { unread } })
  })
  test('data wins over text, null too', async () => {
    expect((await read({ text: '{"risk": 9}', data: { risk: 1 } })).metadata).toEqual({ risk: 1 })
    expect((await read({ text: '{"risk": 9}', data: null })).status).toBe('abstain')
  })
  test('what the schema refuses abstains, with at most five reasons', async () => {
    const judgment = await read({ text: '{"risk": "high"}' })
    expect(judgment.status).toBe('abstain')
    expect(judgment.reasoning).toMatch(/issue 5 \(and 2 more\)$/)
    expect(judgment.reasoning).not.toMatch(/issue 6/)
  })
  test('toJudgment or a schema that throws makes an error', async () => {
    const boom = () => {
      throw new Error('boom')
    }
    const broken: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: boom } }
    for (const one of [json(schema, boom), json(broken, () => pass('x'))]) {
      const model = scriptedModel('{"risk": 1}')
      const prompt = () => ({ messages: [] })
      const judgment = await runJudge(modelJudge({ name: 'j', prompt, model, classify: one }), aContext())
      expect(judgment).toMatchObject({ status: 'error', failure: { message: 'boom' } })
    }
  })
  test('without a schema or a function it is refused', () => {
    const refused = expect.objectContaining({ code: 'option-invalid' })
    expect(() => json({} as never, () => pass('x'))).toThrow(refused)
    expect(() => json(undefined as never, () => pass('x'))).toThrow(refused)
    expect(() => json(schema, undefined as never)).toThrow(refused)
  })
  test('law: any JSON object is found within prose', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom('', 'So: ', '* '),
        async (value, prose) => {
          const seen: unknown[] = []
          const any: StandardSchema = {
            '~standard': { version: 1, vendor: 'test', validate: (found) => ({ value: found }) },
          }
          const keep = json(any, (found) => {
            seen.push(found)
            return pass('x')
          })
          await keep({ text: `${prose}${JSON.stringify(value)}\nThat is all.` }, aContext())
          expect(JSON.stringify(seen)).toBe(JSON.stringify([value]))
        },
      ),
    ))
  test('long texts are read in a moment', async () => {
    for (const part of ['{', '["', '{"\\"', '```\n', '{"a":{}} ', '"{'])
      expect((await read({ text: part.repeat(30_000) })).status).toBe('abstain')
  })
})
