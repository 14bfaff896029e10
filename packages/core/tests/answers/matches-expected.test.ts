import { type AgentOutput, type JudgmentContext, runJudge, structuredOutput } from '@jurist/core'
import { matchesExpected } from '@jurist/core/answers'
import { aContext } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type MatchesExpectedOptions = NonNullable<Parameters<typeof matchesExpected>[0]>

type Answer = string | AgentOutput

const judged = (
  options: MatchesExpectedOptions,
  agentOutput: Answer,
  expectedOutput: Answer,
  more: Partial<JudgmentContext> = {},
) => runJudge(matchesExpected(options), { ...aContext({ agentOutput, expectedOutput }), ...more })

const data = (value: unknown) => structuredOutput(value)
type Row = readonly [string, MatchesExpectedOptions, Answer, Answer, string]

describe('text', () => {
  test.each<Row>([
    ['the same', {}, 'Paris', 'Paris', 'pass'],
    ['another', {}, 'London', 'Paris', 'fail'],
    ['spaces and line ends do not count', {}, '  New \n York\n', 'New York', 'pass'],
    ['case counts', {}, 'paris', 'Paris', 'fail'],
    ['by default', { normalize: ['case'] }, 'paris', 'Paris', 'pass'],
    ['only what is named is left out', { normalize: ['case'] }, 'paris ', 'Paris', 'fail'],
    ['everything counts', { normalize: false }, 'Paris\n', 'Paris', 'fail'],
    ['punctuation', { normalize: ['punctuation', 'whitespace'] }, '"Paris!" ', 'Paris', 'pass'],
    ['articles', { normalize: ['case', 'articles', 'whitespace'] }, 'The answer to a dog', 'answer to dog', 'pass'],
    ['zero-width characters are not seen', {}, 'Pa\u200bri\u200ds\u00ad', 'Paris', 'pass'],
    ['composed and decomposed letters', {}, 'Cafe\u0301', 'Café', 'pass'],
    ['letters that look alike are others', {}, 'Раris', 'Paris', 'fail'],
    ['compatibility forms are others', {}, 'x²', 'x2', 'fail'],
    ['a string in data', {}, data('Paris'), 'Paris', 'pass'],
    ['a number in data', {}, data(42), '42', 'pass'],
    ['an empty answer', {}, '', 'Paris', 'fail'],
  ])('%s', async (_, options, answer, expected, status) => {
    expect((await judged(options, answer, expected)).status).toBe(status)
  })

  test('normalization is done once: a second time changes nothing, and does not change the judgment', async () => {
    const options = { normalize: ['unicode', 'whitespace', 'case', 'punctuation', 'articles'] } as const
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 20 }), async (text) => {
        for (const variant of [` ${text}\n`, text.normalize('NFD'), `${text}\u200b`])
          expect((await judged(options, variant, text)).status).toBe('pass')
      }),
    )
  })

  test('is symmetric', async () => {
    const text = fc.constantFrom('a', 'A', ' a', 'the a', 'b', 'a.', '')
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const options = { normalize: ['case', 'whitespace'] } as const
        expect((await judged(options, one, other)).status).toBe((await judged(options, other, one)).status)
      }),
    )
  })
})

describe('includes', () => {
  test.each<Row>([
    ['a word', { by: 'includes' }, 'It is Paris, of course.', 'Paris', 'pass'],
    ['not a part of a word', { by: 'includes' }, 'Parisian', 'Paris', 'fail'],
    ['not a part of a number', { by: 'includes' }, 'It is 142.', '42', 'fail'],
    ['not the whole part of a decimal number', { by: 'includes' }, 'It is 4.2', '4', 'fail'],
    ['not the decimals of one', { by: 'includes' }, 'It is 4.2', '2', 'fail'],
    ['a number at the end of a sentence', { by: 'includes' }, 'It is 42.', '42', 'pass'],
    ['a later place', { by: 'includes' }, 'Parisian Paris', 'Paris', 'pass'],
    ['scripts without spaces', { by: 'includes' }, '答えは東京です', '東京', 'pass'],
    ['what begins with a mark', { by: 'includes' }, 'x=$5', '$5', 'pass'],
    ['nothing is expected', { by: 'includes' }, 'anything', ' ', 'abstain'],
  ])('%s', async (_, options, answer, expected, status) => {
    expect((await judged(options, answer, expected)).status).toBe(status)
  })
})

describe('number', () => {
  const number = (more: MatchesExpectedOptions = {}): MatchesExpectedOptions => ({ by: 'number', ...more })
  test.each<Row>([
    ['with groups', number(), '1,234.5', '1234.5', 'pass'],
    ['with a unit', number(), '12 €', '12', 'pass'],
    ['with a currency', number(), 'It costs $1,200.00.', '1200', 'pass'],
    ['a negative amount', number(), '-$5', '-5', 'pass'],
    ['a minus sign', number(), '−5', '-5', 'pass'],
    ['a sign counts', number(), '-5', '5', 'fail'],
    ['an exponent', number(), '1.2e3', '1200', 'pass'],
    ['a scale', number(), '1.2 million', '1200000', 'pass'],
    ['a scale is not left out', number(), '5 million', '5', 'fail'],
    ['the same number twice', number(), '42 (that is, 42.0)', '42', 'pass'],
    ['several numbers', number(), '3 + 4 = 7', '7', 'fail'],
    ['the last one', number({ which: 'last' }), '3 + 4 = 7', '7', 'pass'],
    ['the first one', number({ which: 'first' }), '7, since 3 + 4', '7', 'pass'],
    ['a list of guesses', number(), '1 2 3 4 5 6 7 8 9', '7', 'fail'],
    ['a decimal comma', number({ decimal: ',' }), '1.234,5', data(1234.5), 'pass'],
    ['a group is not a decimal', number(), '1,234', '1.234', 'fail'],
    ['a wrong group', number(), '1,23', '123', 'fail'],
    ['a version', number(), '1.2.3', '1.2', 'fail'],
    ['a superscript', number(), '10²', '10', 'fail'],
    ['digits of another script behind it', number(), '4٢', '4', 'fail'],
    ['an underscore', number(), '1_000', '1', 'fail'],
    ['hexadecimal', number(), '0x10', '0', 'fail'],
    ['a name', number(), 'B12', '12', 'fail'],
    ['NaN', number(), 'NaN', '0', 'fail'],
    ['Infinity', number(), 'Infinity', '1', 'fail'],
    ['too large for a number', number(), '1e999', '1', 'fail'],
    ['every digit counts', number(), '9007199254740993', '9007199254740992', 'fail'],
    ['full width digits', number(), '４２', '42', 'pass'],
    ['zero-width characters', number(), '4\u200b2', '42', 'pass'],
    ['tolerance', number({ tolerance: 0.1 }), '1.1', '1', 'pass'],
    ['outside the tolerance', number({ tolerance: 0.1 }), '1.11', '1', 'fail'],
    ['a share', number({ tolerance: { relative: 0.01 } }), '101', '100', 'pass'],
    ['outside the share', number({ tolerance: { relative: 0.01 } }), '102', '100', 'fail'],
    ['the larger of both', number({ tolerance: { absolute: 3, relative: 0.01 } }), '102', '100', 'pass'],
    ['a number in data', number(), data(42), '42', 'pass'],
    ['zero has no sign', number(), '-0.0', '0', 'pass'],
    ['no number', number(), 'none', '0', 'fail'],
    ['the dataset has no number', number(), '4', 'four', 'error'],
    ['the dataset has several', number(), '4', '4 or 5', 'error'],
  ])('%s', async (_, options, answer, expected, status) => {
    expect((await judged(options, answer, expected)).status).toBe(status)
  })

  test('says what it read', async () => {
    expect(await judged(number(), 'about 41', '42')).toMatchObject({
      reasoning: 'the output has 41, not 42',
      metadata: { found: 41, expected: 42 },
    })
    expect((await judged(number(), '3 + 4 = 7', '7')).reasoning).toBe('the output has several numbers: 3, 4, 7')
  })

  test('every finite number is read as itself, with and without groups', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), async (value) => {
        expect((await judged(number(), String(value), data(value))).status).toBe('pass')
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -1e12, max: 1e12 }), async (value) => {
        expect((await judged(number(), value.toLocaleString('en-US'), data(value))).status).toBe('pass')
      }),
    )
  })
})

describe('json', () => {
  test.each<Row>([
    ['the order of keys', { by: 'json' }, '{"b": 2, "a": 1}', data({ a: 1, b: 2 }), 'pass'],
    ['the order of an array', { by: 'json' }, '[2, 1]', data([1, 2]), 'fail'],
    ['a missing key', { by: 'json' }, '{"a": 1}', data({ a: 1, b: 2 }), 'fail'],
    ['a key more', { by: 'json' }, '{"a": 1, "b": 2}', data({ a: 1 }), 'fail'],
    ['null is not missing', { by: 'json' }, '{}', data({ a: null }), 'fail'],
    ['a fence', { by: 'json' }, 'Here:\n```json\n{"a": 1}\n```', data({ a: 1 }), 'pass'],
    ['two fences', { by: 'json' }, '```json\n1\n```\n```json\n2\n```', data(1), 'fail'],
    ['tolerance', { by: 'json', tolerance: 0.1 }, '{"a": 1.05}', data({ a: 1 }), 'pass'],
    ['a threshold', { by: 'json', threshold: 0.5 }, '{"a": 1, "b": 3}', data({ a: 1, b: 2 }), 'pass'],
    ['empty containers differ', { by: 'json' }, '{}', data([]), 'fail'],
    ['a key twice', { by: 'json' }, '{"a": 2, "a": 1}', data({ a: 1 }), 'fail'],
    ['a key twice, written otherwise', { by: 'json' }, '{"a": 2, "\\u0061": 1}', data({ a: 1 }), 'fail'],
    ['the same key in two objects', { by: 'json' }, '[{"a": 1}, {"a": 1}]', data([{ a: 1 }, { a: 1 }]), 'pass'],
    ['a key that looks like one in a string', { by: 'json' }, '{"a": "\\"a\\": {["}', data({ a: '"a": {[' }), 'pass'],
    ['__proto__', { by: 'json' }, '{"a": 1, "__proto__": {"b": 2}}', data({ a: 1 }), 'fail'],
    ['a name of Object.prototype', { by: 'json' }, '{}', data({ constructor: 1 }), 'fail'],
    ['no JSON', { by: 'json' }, 'NaN', data(1), 'fail'],
    ['JSON in the dataset as text', { by: 'json' }, '{"a": 1}', '{ "a" : 1 }', 'pass'],
    ['no JSON in the dataset', { by: 'json' }, '1', 'one', 'error'],
  ])('%s', async (_, options, answer, expected, status) => {
    expect((await judged(options, answer, expected)).status).toBe(status)
  })

  test('names each place that differs, and counts the values', async () => {
    const judgment = await judged({ by: 'json' }, '{"a/b": [1, 5], "d": true}', data({ 'a/b': [1, 2, 3], c: { x: 1 } }))
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 1 / 5 }, metadata: { total: 5, differing: 4 } })
    expect(judgment.checks.slice(1).map(({ name, message }) => `${name} ${message}`)).toEqual([
      '/a~1b/1 is 5, expected 2',
      '/a~1b/2 is missing',
      '/c is missing',
      '/d is not expected',
    ])
  })

  test('a value is equal to itself, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'))
        expect(await judged({ by: 'json' }, JSON.stringify(value), data(value))).toMatchObject({
          status: 'pass',
          score: { value: 1 },
        })
      }),
    )
  })
})

describe('choice', () => {
  const capitals = ['Paris', 'London', 'New York']
  const letters = ['A', 'B', 'C', 'D']
  test.each<readonly [string, readonly string[], string, string, string]>([
    ['the text', capitals, 'London', 'London', 'pass'],
    ['its letter', capitals, 'B', 'London', 'pass'],
    ['both', capitals, '(B) London', 'London', 'pass'],
    ['a letter and another text', capitals, 'B. Paris', 'London', 'fail'],
    ['the wrong one', capitals, 'Paris', 'London', 'fail'],
    ['in a box', letters, 'So it is $\\boxed{B}$', 'B', 'pass'],
    ['with a reason behind it', ['yes', 'no'], 'Yes, it is.', 'yes', 'pass'],
    ['with a doubt behind it', ['yes', 'no'], 'Yes, or no.', 'yes', 'fail'],
    ['in a sentence', capitals, 'So the correct answer is **B**.', 'London', 'pass'],
    ['on the last line', letters, 'A is wrong, since C is.\n\nAnswer: B', 'B', 'pass'],
    ['on the first line, with reasons', capitals, 'London\n\nIt has been the capital for long.', 'London', 'pass'],
    ['on the first line, then another', capitals, 'London\n\nOr Paris.', 'London', 'fail'],
    ['several in one line', letters, 'A or B or C', 'A', 'fail'],
    ['several after "Answer:"', letters, 'Answer: A, B', 'A', 'fail'],
    ['several in one line of sentences', letters, 'Answer: A. Or B. Or C.', 'A', 'fail'],
    ['all of them, a line each', letters, 'A\nB\nC\nD', 'D', 'fail'],
    ['a second answer', letters, 'Answer: A\nAnswer: B', 'B', 'fail'],
    ['an answer, then another', letters, 'Answer: A\nOr maybe B', 'A', 'fail'],
    ['a denial', letters, 'The answer is not B', 'B', 'fail'],
    ['a letter that looks alike', letters, 'В', 'B', 'fail'],
    ['a second one that looks alike', letters, 'A\nor В', 'A', 'fail'],
    ['zero-width characters between two', letters, 'A\u200b B', 'A', 'fail'],
    ['a letter in full width', letters, 'Ｂ', 'B', 'pass'],
    ['case', letters, 'b', 'B', 'pass'],
    ['a text within another', ['York', 'New York'], 'New York', 'New York', 'pass'],
    ['another script', ['да', 'нет'], 'Да.', 'да', 'pass'],
    ['another script, both', ['да', 'нет'], 'да\nили нет', 'да', 'fail'],
    ['none', letters, 'I do not know.', 'B', 'fail'],
    ['an article is no choice', capitals, 'London\nIt is a city.', 'London', 'pass'],
    ['not one of the choices', letters, 'B', 'E', 'error'],
  ])('%s', async (_, choices, answer, expected, status) => {
    expect((await judged({ by: 'choice', choices }, answer, expected)).status).toBe(status)
    const metadata = { choices }
    expect((await judged({ by: 'choice' }, answer, expected, { metadata })).status).toBe(status)
  })
  test('abstains where nothing says what the choices are', async () => {
    expect((await judged({ by: 'choice' }, 'A', 'A')).status).toBe('abstain')
  })
  test('an answer that names several choices in any order never passes', async () => {
    const several = fc.shuffledSubarray(letters, { minLength: 2 })
    await fc.assert(
      fc.asyncProperty(several, fc.constantFrom(' or ', ', ', '/', '\n', '. ', ' and ', '; '), async (named, mark) => {
        for (const expected of letters)
          for (const text of [named.join(mark), `Answer: ${named.join(mark)}`])
            expect((await judged({ by: 'choice', choices: letters }, text, expected)).status).toBe('fail')
      }),
    )
  })
})

describe('list', () => {
  test.each<Row>([
    ['any order', { by: 'list' }, '["b", "a"]', data(['a', 'b']), 'pass'],
    ['lines', { by: 'list' }, '- a\n2. b\n', data(['a', 'b']), 'pass'],
    ['commas', { by: 'list' }, 'b, a', 'a, b', 'pass'],
    ['one too many', { by: 'list' }, 'a, b, c', data(['a', 'b']), 'fail'],
    ['one is missing', { by: 'list' }, 'a', data(['a', 'b']), 'fail'],
    ['one twice', { by: 'list' }, 'a, a', data(['a', 'b']), 'fail'],
    ['a threshold', { by: 'list', threshold: 0.8 }, 'a, b, c', data(['a', 'b']), 'pass'],
    ['everything there is', { by: 'list', threshold: 0.5 }, 'a, b, c, d, e, f, g, h', data(['a']), 'fail'],
    ['nothing', { by: 'list' }, '[]', data([]), 'pass'],
    ['case', { by: 'list', normalize: ['case'] }, 'A', data(['a']), 'pass'],
  ])('%s', async (_, options, answer, expected, status) => {
    expect((await judged(options, answer, expected)).status).toBe(status)
  })
  test('says what is missing and what is not expected', async () => {
    expect(await judged({ by: 'list' }, 'a, c', data(['a', 'b']))).toMatchObject({
      reasoning: '1 of 2 entries are there; missing: "b"; not expected: "c"',
      score: { value: 0.5 },
    })
  })
})

describe('the expected output', () => {
  test('is any of a list where the item says so', async () => {
    const any = { expectedAnyOf: true } as const
    expect((await judged({}, 'Lutetia', data(['Paris', 'Lutetia']), any)).status).toBe('pass')
    expect((await judged({}, 'Rome', data(['Paris', 'Lutetia']), any)).status).toBe('fail')
    expect((await judged({}, 'Paris', data(['Paris', 'Lutetia']))).status).toBe('fail')
    expect((await judged({}, 'Paris', data([]), any)).status).toBe('abstain')
    expect((await judged({ by: 'json' }, '[2]', data([[1], [2]]), any)).status).toBe('pass')
  })
  test('counts with the best of several', async () => {
    const judgment = await judged({ by: 'list' }, 'a, b', data([['x'], ['a', 'b', 'c']]), { expectedAnyOf: true })
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 0.8 } })
  })
  test('that cannot be read is an error, unless another one passes', async () => {
    const any = { expectedAnyOf: true } as const
    expect((await judged({ by: 'number' }, '4', data(['four', '4']), any)).status).toBe('pass')
    expect((await judged({ by: 'number' }, '5', data(['four', '4']), any)).status).toBe('error')
  })
  test('is missing: an abstention, also without an answer; an answer is missing: a fail', async () => {
    for (const by of ['text', 'includes', 'number', 'json', 'choice', 'list'] as const) {
      const judge = matchesExpected({ by, ...(by === 'choice' ? { choices: ['a', 'b'] } : {}) })
      expect((await runJudge(judge, aContext())).status).toBe('abstain')
      expect((await runJudge(judge, aContext({ agentOutput: 'x' }))).status).toBe('abstain')
      expect(await runJudge(judge, aContext({ expectedOutput: '1' }))).toMatchObject({
        status: 'fail',
        checks: [{ name: 'output_present' }],
      })
    }
  })
})

describe('hostile answers', () => {
  const every = ['text', 'includes', 'number', 'json', 'choice', 'list'] as const
  const long = 300_000
  test.each<readonly [string, string]>([
    ['10 MB', 'a'.repeat(10_000_000)],
    ['deep JSON', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['deep JSON that does not end', '['.repeat(long)],
    ['spaces', ' '.repeat(long)],
    ['marks', '!'.repeat(long)],
    ['marks and a letter', `${'!'.repeat(long)}z`],
    ['digits', '1'.repeat(long)],
    ['marks between digits', `1${','.repeat(long)}x`],
    ['points', '1.'.repeat(long / 2)],
    ['signs', '-'.repeat(long)],
    ['zero-width characters', '\u200b'.repeat(long)],
    ['lines', '\n'.repeat(long)],
    ['lines of an answer', 'the answer is '.repeat(long / 20)],
    ['one word again and again', '4 '.repeat(long / 2)],
    ['fences', '```json\n'.repeat(long / 8)],
    ['escapes', `"${'\\"'.repeat(long / 2)}"`],
    ['half a pair', '\ud800'.repeat(long)],
  ])('%s: a fail in every comparison, in time that grows with the length', async (_, text) => {
    for (const by of every) {
      const options = { by, ...(by === 'choice' ? { choices: ['4', '5'] } : {}) }
      const judgment = await judged(options, text, '4')
      const isRight = by === 'includes' && text.startsWith('4 ')
      expect(judgment.status, by).toBe(isRight || (by === 'number' && text.startsWith('4 ')) ? 'pass' : 'fail')
    }
  })
  test('above the cap: too large', async () => {
    expect((await judged({}, 'a'.repeat(1_000_001), 'a')).metadata).toMatchObject({ unjudgeable: 'too-large' })
    expect((await judged({}, 'a', 'a'.repeat(1_000_001))).status).toBe('error')
  })
})

test.each<readonly [unknown, RegExp]>([
  [{ by: 'regex' }, /"by" must be one of "text", .*got "regex"/],
  [{ tolerance: 1 }, /"tolerance" has no meaning with by: "text"/],
  [{ by: 'number', tolerance: -1 }, /"tolerance" must be/],
  [{ by: 'number', tolerance: { percent: 1 } }, /"tolerance" must be/],
  [{ by: 'number', normalize: false }, /"normalize" has no meaning/],
  [{ normalize: ['spaces'] }, /"normalize" must be false, or an array/],
  [{ by: 'list', threshold: 2 }, /"threshold" must be/],
  [{ b: 'text' }, /unknown option "b"/],
])('%j is refused', (options, message) => {
  expect(() => matchesExpected(options as never)).toThrow(message)
})
