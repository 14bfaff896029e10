import { flag, oneOf, optional, type Parse, repeatable, text, toggle, whole } from '@jurist/experiment/plugin'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dollarAmount,
  fileEndingIn,
  json,
  jsonObject,
  keyedRate,
  milliseconds,
  rate,
  typedFlags,
} from '../../src/command-kit/subcommand.js'

describe('the value of a flag', () => {
  test.each<[string, Parse<unknown>, string, unknown]>([
    ['an integer', whole(1), '12', 12],
    ['dollars', dollarAmount, '.5', 0.5],
    ['dollars', dollarAmount, '2.50', 2.5],
    ['a rate', rate, '0.8', 0.8],
    ['a percentage', rate, '80%', 0.8],
    ['a rate', rate, '1', 1],
    ['a rate by key', keyedRate, 'rules/a=b=0.9', ['rules/a=b', 0.9]],
    ['milliseconds', milliseconds, '500ms', 500],
    ['seconds', milliseconds, '30', 30_000],
    ['seconds', milliseconds, '1.5s', 1_500],
    ['minutes', milliseconds, '15m', 900_000],
    ['hours', milliseconds, '2h', 7_200_000],
    ['a word', oneOf(['item', 'variant']), 'item', 'item'],
    ['JSON', json, '[1]', [1]],
    ['an object', jsonObject, '{"a":1}', { a: 1 }],
    ['a file', fileEndingIn('.md', '.json'), 'a.b.md', 'a.b.md'],
  ])('%s', (_, parse, given, value) => expect(parse(given, '--flag')).toEqual(value))

  test.each<[Parse<unknown>, string, string]>([
    [whole(1), '0', '--flag must be an integer of at least 1 (got "0").'],
    [whole(0, 9), '10', '--flag must be an integer from 0 to 9 (got "10").'],
    [whole(0), '1e3', '--flag must be an integer of at least 0 (got "1e3").'],
    [whole(0), '', '--flag must be an integer of at least 0 (got "").'],
    [whole(0), '99999999999999999999', '--flag must be an integer'],
    [dollarAmount, '-1', '--flag must be an amount in US dollars, such as 2.50 (got "-1").'],
    [dollarAmount, '1,5', '--flag must be an amount in US dollars'],
    [rate, '8', '--flag must be a rate from 0 to 1, such as 0.8 or 80% (got "8").'],
    [rate, '101%', '--flag must be a rate'],
    [keyedRate, 'key', '--flag must be key=rate, such as rules/build=0.9 (got "key").'],
    [keyedRate, '=0.5', '--flag must be key=rate'],
    [keyedRate, 'key=5', '--flag must be a rate'],
    [milliseconds, '0s', '--flag must be greater than zero (got "0s").'],
    [milliseconds, '15x', '--flag must be a duration, such as 500ms, 30s, 15m or 2h (got "15x").'],
    [oneOf(['item', 'variant']), 'itme', '--flag must be one of item, variant (got "itme"). Did you mean "item"?'],
    [json, '{', '--flag must be JSON: '],
    [jsonObject, '[]', '--flag must be a JSON object, such as {"tag":"small"}.'],
    [fileEndingIn('.md', '.json'), '.json', '--flag .json must end in .md, .json: the ending selects the format.'],
    [fileEndingIn('.md', '.json'), 'a.pdf', '--flag a.pdf must end in .md, .json: the ending selects the format.'],
  ])('%s: %j is refused', (parse, given, message) => {
    expect(() => parse(given, '--flag')).toThrow(expect.objectContaining({ code: 'usage-invalid' }))
    expect(() => parse(given, '--flag')).toThrow(message)
  })

  test('is never a number that was not typed', () => {
    fc.assert(
      fc.property(fc.string(), (given) => {
        for (const parse of [whole(0), dollarAmount, rate, milliseconds])
          try {
            expect(parse(given, '--flag')).toSatisfy((value: number) => Number.isFinite(value) && value >= 0)
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'usage-invalid' })
          }
      }),
    )
  })
})

describe('a declared flag', () => {
  test('is undefined where it is absent, or its default', () => {
    expect(flag('--a <n>', 'help', whole(1)).read(undefined, '--a')).toBeUndefined()
    expect(flag('--a <n>', 'help', whole(1), { default: 3 }).read(undefined, '--a')).toBe(3)
  })
  test('may be given several times', () => {
    const tag = repeatable('--tag <tag>', 'help', text)
    expect(tag.read(undefined, '--tag')).toEqual([])
    expect(tag.read(['a', 'b'], '--tag')).toEqual(['a', 'b'])
    expect(tag.help).toBe('help (repeatable)')
  })
  test('may leave its value out', () => {
    const bail = optional('--bail [n]', 'help', whole(1))
    expect([undefined, true, '2'].map((given) => bail.read(given, '--bail'))).toEqual([undefined, true, 2])
  })
  test('has no value, also when it is a negation', () => {
    expect([undefined, true].map((given) => toggle('--all', 'help').read(given, '--all'))).toEqual([false, true])
    // Commander sets a negated flag to true until it is given.
    expect([true, false].map((given) => toggle('--no-judge', 'help').read(given, '--no-judge'))).toEqual([false, true])
  })
  test('is typed again on resuming, as far as it is declared so', () => {
    const flags = {
      item: repeatable('-i, --item <id>', 'help', text, { onResume: 'plan' }),
      noJudge: toggle('--no-judge', 'help', { onResume: 'kept' }),
      budget: flag('--budget <usd>', 'help', dollarAmount, { onResume: 'kept' }),
      bail: optional('--bail [n]', 'help', whole(1), { onResume: 'kept' }),
      resume: optional('--resume [run]', 'help', text, { onResume: 'replaced' }),
      output: flag('-o, --output <file>', 'help', text),
    }
    const given = { item: ['a', 'b'], noJudge: false, budget: '2.50', bail: true, resume: true, output: 'a' }
    expect(typedFlags(flags, given)).toEqual({
      plan: ['--item', 'a', '--item', 'b'],
      kept: ['--no-judge', '--budget', '2.50', '--bail'],
      all: ['--item', 'a', '--item', 'b', '--no-judge', '--budget', '2.50', '--bail', '--output', 'a'],
    })
    expect(typedFlags(flags, { noJudge: true })).toEqual({ plan: [], kept: [], all: [] })
  })
})
