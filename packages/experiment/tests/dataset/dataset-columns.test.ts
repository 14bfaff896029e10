import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DatasetItem, openDataset } from '@jurist/experiment/dataset'
import { validateDataset } from '@jurist/experiment/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePython } from '../../src/dataset/python-literal.js'
import { directoryWith } from './dataset-directory.js'

type Options = Parameters<typeof openDataset>[1]

/** A file of rows, its items, and what `jurist validate` says about it. */
async function read(name: string, content: string, options?: Options) {
  const path = join(directoryWith({}), name)
  writeFileSync(path, content)
  const problems = (await validateDataset({ path, columns: options?.columns ?? {} })).map(({ problem, severity }) =>
    severity === 'warning' ? problem : `error: ${problem}`,
  )
  if (problems.some((problem) => problem.startsWith('error'))) return { problems, items: [] }
  const items: DatasetItem[] = []
  for await (const item of (await openDataset(path, options)).items()) items.push(item)
  return { problems, items }
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`

describe('a right answer never reaches the agent', () => {
  test.each(
    `truth,Truth,ground truth,Ground-Truth,groundTruth,GROUND_TRUTH,gold,Gold Label,golden_answer,gold_sql,correct_answer,CorrectAnswer,
    correct answers,incorrect_answers,best_answer,answer_key,answerKey,answer_idx,final_answer,expected_tool_calls,expectedResult,solution,
    canonical_solution,reference_answer,label_text,label-id,target,target_output,human_label,y_true,gt,verdict,explanation,output,response`
      .split(',')
      .map((name) => name.trim()),
  )('a column %s', async (name) => {
    const row = { id: 'a', question: 'Why?', expected: 'this', [name]: 'that' }
    const { items } = await read('x.jsonl', JSON.stringify(row))
    expect(items[0]?.input).toEqual({ question: 'Why?' })
  })

  test.each(['locale', 'target_language', 'response_format', 'city', 'rightmost', 'question_type'])(
    'a column %s does reach it, and validate says so',
    async (name) => {
      const { items, problems } = await read('x.csv', `id,question,expected,${name}\na,Why?,this,that\n`)
      expect(items[0]?.input).toEqual({ question: 'Why?', [name]: 'that' })
      expect(problems).toEqual([
        `the column "${name}" has no known name: agents see it in task.input, judges in the metadata.`,
      ])
    },
  )

  test('what judges judge by is known, and no agent sees it', async () => {
    const row = { id: 'a', task: 'Why?', toolCalls: [{ name: 'find' }], expectedState: { a: 1 }, scenario: {} }
    const { items, problems } = await read('x.jsonl', JSON.stringify(row))
    expect([items[0]?.input, Object.keys(items[0]?.metadata ?? {}), problems]).toEqual([
      { task: 'Why?' },
      ['toolCalls', 'expectedState', 'scenario'],
      [],
    ])
  })

  test('a column that repeats the right answer is withheld, whatever its name', async () => {
    const { items, problems } = await read('x.csv', 'question,expected,hint\na,Yes,yes\nb,No,no \nc,No,perhaps\n')
    expect(items.map(({ input }) => input)).toEqual([{ question: 'a' }, { question: 'b' }, { question: 'c' }])
    expect(problems).toEqual(['the column "hint" equals the expected answer in 2 of 3 rows: agents do not see it.'])
  })

  test('one that equals it now and then is named, and stays', async () => {
    const { items, problems } = await read('x.csv', 'question,expected,first\na,1,1\nb,2,1\nc,3,1\n')
    expect(items[0]?.input).toEqual({ question: 'a', first: '1' })
    expect(problems).toEqual(['the column "first" equals the expected answer in 1 of 3 rows, and agents see it.'])
  })

  test('named columns are what agents see, and nothing warns of what is declared', async () => {
    const columns = { input: ['Question', 'solution'], metadata: ['topic'] }
    const { items, problems } = await read('x.csv', 'question,expected,solution,topic\na,1,s,t\n', { columns })
    expect(problems).toEqual([])
    expect(items[0]).toMatchObject({ input: { question: 'a', solution: 's' }, metadata: { topic: 't', solution: 's' } })
  })

  test('validate says which columns it withholds', async () => {
    const { problems } = await read('x.csv', 'question,expected,solution,Gold Label\na,1,s,g\n')
    expect(problems).toEqual([
      'the columns "solution", "Gold Label" sound like a right answer: agents do not see them, judges do, in the metadata.',
    ])
  })
})

describe('headers as people write them', () => {
  test.each([
    'ID,Question,Answer,Ground Truth,Retrieved Contexts',
    ' id , question,answer ,ground-truth,retrieved-contexts',
    'Item_Id,QUESTION,ANSWER,GROUND_TRUTH,RetrievedContexts',
    '\uFEFFid,question,answer,ground  truth,retrieved_contexts',
  ])('%s', async (header) => {
    const { items, problems } = await read('x.csv', `${header}\na,Why?,so,because,here\n`)
    expect(problems).toEqual([])
    expect(items[0]).toMatchObject({
      ...{ id: 'a', task: 'Why?', referenceData: ['here'], metadata: { output: 'so' } },
      expectedOutput: { type: 'text', text: 'because' },
    })
  })

  test('two columns with one name are an error that names both', async () => {
    const { problems } = await read('x.csv', 'question,Ground Truth,ground_truth\na,b,c\n')
    expect(problems).toEqual([
      'error: the columns "ground_truth" and "Ground Truth" have one name, which stands for the right answer.',
    ])
  })

  test('two columns that may have one role are named, with the one that counts', async () => {
    const { problems } = await read('x.csv', 'instruction,input,expected\na,b,c\n')
    expect(problems).toEqual(['the columns "input" and "instruction" may both be the task: "input" is read as it.'])
  })

  test.each([
    ['a;b\n1;2\n', 'error: is separated by ";": its header is one column, "a;b".'],
    ['a\tb\n1\t2\n', 'error: is separated by tabs: its header is one column, "a\\tb".'],
    ['task,expected\rdo,x\r', 'error: has lines that end with CR alone.'],
  ])('%j is named for what it is', async (content, problem) => {
    expect((await read('x.csv', content)).problems).toEqual([problem])
  })
})

describe('lists in cells', () => {
  test.each<[string, readonly string[]]>([
    ['["a", "b"]', ['a', 'b']],
    ["['a', 'b']", ['a', 'b']],
    [`['a', "it's"]`, ['a', "it's"]],
    ["['a'\n 'b']", ['a', 'b']],
    ["['it\\'s', 'line\\nbreak', '\\xe9\\u00fc']", ["it's", 'line\nbreak', 'éü']],
    ["array(['a', 'b'], dtype=object)", ['a', 'b']],
    ["('a', 'b',)", ['a', 'b']],
    ["['a, b', '[c]']", ['a, b', '[c]']],
  ])('%j', async (list, expected) => {
    const text = `question,contexts,tags,expected\nq,${cell(list)},${cell(list)},${cell(list)}\n`
    const { items, problems } = await read('x.csv', text)
    expect([problems, items[0]?.referenceData, items[0]?.tags]).toEqual([[], expected, expected])
    expect(items[0]).toMatchObject({ expectedAnyOf: true, expectedOutput: { type: 'structured', data: expected } })
  })

  test.each(["['a', 'b'", '[see above]', '[1', '(in short) yes'])('%s stays one source', async (text) => {
    const { items, problems } = await read('x.csv', `question,contexts\nq,${cell(text)}\n`)
    expect(items[0]?.referenceData).toEqual([text])
    expect(problems).toEqual(text.endsWith(']') ? ['looks like a list, but is read as one source.'] : [])
  })

  test('what Python prints is read as it was', () => {
    const printed = (value: unknown): string => {
      if (value === null) return 'None'
      if (typeof value === 'boolean') return value ? 'True' : 'False'
      if (typeof value === 'number') return String(value)
      if (typeof value === 'string') return pythonString(value)
      if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
      return `{${Object.entries(value as object)
        .map(([key, one]) => `${pythonString(key)}: ${printed(one)}`)
        .join(', ')}}`
    }
    const pythonString = (text: string) => {
      const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
      return `${quote}${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`)}${quote}`
    }
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const key = fc.string().filter((name) => name !== '__proto__')
    const { list } = fc.letrec((tie) => ({
      list: fc.array(tie('value'), { maxLength: 4 }),
      value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(key, leaf)),
    }))
    fc.assert(fc.property(list, (value) => void expect(parsePython(printed(value))).toEqual(value)))
  })

  test('a hostile cell ends soon, whatever it is', () => {
    for (const text of [
      '['.repeat(100_000),
      `[${"'a' ".repeat(50_000)}`,
      `['${'\\'.repeat(99_999)}`,
      `{${"'a': [".repeat(20_000)}`,
    ])
      expect(parsePython(text)).toBeUndefined()
  })
})
