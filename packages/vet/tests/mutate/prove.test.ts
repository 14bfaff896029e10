import { spawnSync } from 'node:child_process'
import { seededRandom } from '@jurist/experiment/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofText } from '../../src/mutate/prove/mutant-proof.js'
import { literal, witnessTest } from '../../src/mutate/prove/prove-survivors.js'
import { openProver, type ProverOptions, variedInputs } from '../../src/mutate/prove/prover.js'
import { recordedInputs } from '../../src/mutate/prove/recorded-inputs.js'

describe('recorded inputs', () => {
  test.each([
    [
      'assert.equal(sum(1, -2.5), 3); sum( 0x10 , 1e3,)',
      [
        [1, -2.5],
        [16, 1000],
      ],
    ],
    ["sum('a\\'\\n', \"b\", `c`)", [["a'\n", 'b', 'c']]],
    ['sum([1, [true, null]], { a: 1, "b": [undefined] })', [[[1, [true, null]], { a: 1, b: [{ $: 'undefined' }] }]]],
    ['assert sum((1, 2), {"a": None}) == True  # sum(3)', [[{ $: 'tuple', is: [1, 2] }, { a: null }], [3]]],
    [`resum(1); sum(x); sum(1 + 2); sum(...all); sum(\`\${a}\`); sum(1`, []],
    ['sum(); sum()', [[]]],
    ['sum({ __proto__: 1 }); sum({ $: 1 })', []],
    ['const test = "sum(1, \\"a\\")\\nsum(2)"', [[1, 'a'], [2]]],
  ])('of %s', (text, inputs) => {
    expect(recordedInputs([text], 'sum')).toEqual(inputs)
  })
  test('are found where JSON is printed', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ noUnicodeString: false })), (input) => {
        const text = input.map((value) => JSON.stringify(value)).join(', ')
        if (/"(?:\$|__proto__)":/.test(text)) return
        expect(recordedInputs([`f(${text})`], 'f')).toEqual([JSON.parse(`[${text}]`)])
      }),
      { numRuns: 30 },
    )
  })
})

describe('varied inputs', () => {
  test('begin with the recorded ones, are alike for a seed, and keep the number of arguments and their types', () => {
    const shape = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        (raw) => {
          const recorded = raw as Parameters<typeof variedInputs>[0]
          const varied = variedInputs(recorded, 30, seededRandom(1).uniform)
          expect(variedInputs(recorded, 30, seededRandom(1).uniform)).toEqual(varied)
          expect(new Set(varied.map((input) => JSON.stringify(input))).size).toBe(varied.length)
          const shapes = new Set(recorded.map((input) => input.map(shape).join()))
          for (const input of varied) expect(shapes).toContain(input.map(shape).join())
        },
      ),
    )
  })
})

type Code = Pick<ProverOptions, 'path' | 'tests'> & { readonly reference: string }

async function witnessesOf({ reference, ...code }: Code, mutants: readonly string[]) {
  await using workspace = await temporaryWorkspace({ [code.path]: reference })
  const { signal } = new AbortController()
  await using prover = await openProver({ workspace, seed: 1, inputs: 200, budgetMs: 60_000, signal, ...code })
  const found = []
  for (const mutant of mutants) found.push((await prover.compare(mutant)).witness)
  return { inputs: prover.inputs, found }
}

describe('a witness', () => {
  const reference = `export function clamp(value, low, high) {
  if (value < low) return low
  return value > high ? high : value
}
export const sort = (values) => values.sort((a, b) => a - b)
export const now = () => Math.random()
`
  const tests = ['clamp(1, 0, 10); clamp(-1, 0, 10); clamp(11, 0, 10); sort([2, 1]); now()']
  test('shows that a mutant differs from the reference, and none that it is equivalent', async () => {
    const { inputs, found } = await witnessesOf({ path: 'src/a.mjs', tests, reference }, [
      reference.replace('value > high ? high : value', 'value'),
      reference.replace('value > high', 'value >= high'),
      reference.replace('a - b', 'b - a'),
      reference.replace('return low', 'throw new TypeError("no")'),
      reference.replace('return low', 'process.exit(0)'),
      'export const clamp = (',
    ])
    expect(inputs).toBeGreaterThan(200)
    const [wrong, same, sorted, throwing, ending, broken] = found
    expect(wrong).toMatchObject({ function: 'clamp' })
    const [value, , high] = wrong?.input ?? []
    expect(wrong).toMatchObject({ expected: high, got: value })
    expect(same).toBeUndefined()
    expect(sorted).toMatchObject({ function: 'sort', expected: { returned: expect.any(Array) } })
    expect(throwing).toMatchObject({ got: { $: 'error', is: 'throws TypeError' } })
    expect(ending).toMatchObject({ got: { $: 'error', is: 'ends its process' } })
    expect(broken).toMatchObject({ got: { $: 'error' } })
  })
  test('is found where tests call the function that they are given', async () => {
    const reference = 'export const adult = (age) => age >= 18\n'
    const code = { path: 'a.mjs', tests: ['check(adult, (candidate) => candidate(18))'], reference }
    const { found } = await witnessesOf(code, [reference.replace('>=', '>')])
    expect(found).toEqual([{ function: 'adult', input: [18], expected: true, got: false }])
  })
  test('is no zero with another sign', async () => {
    const reference = 'export const product = (a, b) => Math.abs(a * b)\n'
    const code = { path: 'a.mjs', tests: ['product(0, 5); product(0, -2)'], reference }
    const { found } = await witnessesOf(code, [
      reference.replace('Math.abs(a * b)', 'a === 0 || b === 0 ? -0 : Math.abs(a * b)'),
      reference.replace('Math.abs(a * b)', 'a * b + 1'),
    ])
    expect(found).toEqual([undefined, expect.objectContaining({ function: 'product' })])
  })
  test('is looked for among the inputs for which the reference returns', async () => {
    const reference = 'export const adult = (age) => {\n  while (age > 30) {}\n  return age >= 18\n}\n'
    await using workspace = await temporaryWorkspace({ 'a.mjs': reference })
    const { signal } = new AbortController()
    const code = { workspace, path: 'a.mjs', tests: ['adult(17); adult(18); adult(40)'] }
    await using prover = await openProver({ ...code, seed: 1, inputs: 8, budgetMs: 60_000, signal })
    expect(prover.inputs + prover.leftOut).toBe(8)
    expect(await prover.compare(reference.replace('>= 18', '> 17'))).toEqual({
      ...{ witness: undefined, inputs: prover.inputs, leftOut: prover.leftOut },
      isCutByClock: true,
    })
    expect(prover.leftOut).toBeGreaterThan(0)
    const { witness } = await prover.compare(reference.replace('>=', '>'))
    expect(witness).toEqual({ function: 'adult', input: [18], expected: true, got: false })
    const { witness: endless } = await prover.compare(reference.replace('return', 'process.exit()\n  return'))
    expect(endless?.got).toEqual({ $: 'error', is: 'ends its process' })
  })
  test('is not looked for among inputs with which the reference ends too often', async () => {
    const reference = 'export const adult = (age) => {\n  if (age !== 18) process.exit()\n  return age >= 18\n}\n'
    await using workspace = await temporaryWorkspace({ 'a.mjs': reference })
    const { signal } = new AbortController()
    const code = { workspace, path: 'a.mjs', tests: ['adult(18)'] }
    await using prover = await openProver({ ...code, seed: 1, inputs: 40, budgetMs: 60_000, signal })
    const { inputs, isCutByClock, leftOut } = prover
    expect([inputs, isCutByClock]).toEqual([1, false])
    expect(leftOut).toBeGreaterThan(10)
  })
  const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0
  test.skipIf(!hasTool('python3'))('is found in modules of Python packages', async () => {
    const python = 'from .b import ZERO\n\ndef pairs(values, n=1):\n    return [(v, n) for v in values if v > ZERO]\n'
    await using workspace = await temporaryWorkspace({
      'pkg/__init__.py': '',
      'pkg/b.py': 'ZERO = 0\n',
      'pkg/a.py': python,
    })
    const { signal } = new AbortController()
    const code = { workspace, path: 'pkg/a.py', tests: ['assert pairs([1, -1, 0], 2) == []'] }
    await using prover = await openProver({ ...code, seed: 1, inputs: 100, budgetMs: 60_000, signal })
    const { witness } = await prover.compare(python.replace('>', '>='))
    expect(witness).toMatchObject({ function: 'pairs' })
    expect(witness && witnessTest(witness, 'python')).toMatch(
      /^def test_pairs_witness\(\):\n {4}assert pairs\(\[.*0.*\], -?\d+\) == \[/,
    )
  })
})

test.each([
  [
    { status: 'out-of-budget', inputs: 1, leftOut: 2 },
    'Not proven: budget. No difference for 1 input; 2 inputs left out.',
  ],
  [
    { status: 'out-of-budget', inputs: 1, leftOut: 2, cutByClock: true },
    'Not proven: budget. No difference for 1 input; 2 inputs left out. A clock left inputs out: another machine may show more.',
  ],
  [{ status: 'not-reached' }, 'Not compared: the time did not suffice.'],
] as const)('%j in words', (proof, text) => {
  expect(proofText(proof)).toBe(text)
})

test('a witness is printed as a test', () => {
  const witness = { function: 'sum', input: [1, { $: 'number', is: 'NaN' }], expected: { $: 'undefined' }, got: 2 }
  expect(witnessTest(witness, 'javascript')).toBe(
    'test("sum(1, NaN)", () => assert.deepEqual(sum(1, NaN), undefined))\n',
  )
  const sorted = { function: 'sort', input: [[2, 1]], expected: { returned: [1, 2], arguments: [[1, 2]] }, got: [2, 1] }
  expect(witnessTest(sorted, 'python')).toBe(
    'def test_sort_witness():\n    args = [[2, 1]]\n    assert sort(*args) == [1, 2]\n    assert args == [[1, 2]]\n',
  )
  expect(witnessTest(sorted, 'javascript')).toContain('  assert.deepEqual(args, [[1, 2]])\n')
  expect(literal({ a: [true, null, { $: 'tuple', is: [1] }] }, 'python')).toBe('{"a": [True, None, (1,)]}')
})
