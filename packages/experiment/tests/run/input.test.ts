import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, AgentTask, JsonObject } from '@jurist/core'
import { completed, defineExperiment, runExperiment } from '@jurist/experiment'
import { openDataset } from '@jurist/experiment/dataset'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { directoryWith } from '../dataset/dataset-directory.js'

/** What the agent gets for each row of a file. */
async function tasksOf(rows: readonly object[], prompt?: string) {
  const path = join(directoryWith({}), 'rows.jsonl')
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'))
  const tasks: Pick<AgentTask, 'prompt' | 'input'>[] = []
  const agent: Agent = ({ prompt, input }) => {
    tasks.push({ prompt, input })
    return completed('done')
  }
  const options = { name: 'input', dataset: path, agent, concurrency: 1, prompt }
  await runExperiment(options).result
  return tasks
}

describe('the input of an agent', () => {
  test('is the row without its answers, its labels and what controls its trials', async () => {
    const row = { id: 'a', question: 'Where?', locale: 'fr', near: { city: 'Lyon' }, tags: ['x'], timeoutMs: 1000 }
    const answers = { expected: 'There', output: 'Here', label: 'fail', contexts: ['c'], answer: 'Nowhere' }
    expect(await tasksOf([{ ...row, ...answers, metadata: { secret: 1 } }])).toEqual([
      { prompt: 'Where?', input: { question: 'Where?', locale: 'fr', near: { city: 'Lyon' } } },
    ])
  })

  test('is an object in the column input, and the task as JSON where no column is', async () => {
    const tasks = await tasksOf([{ task: 'Weather?', input: { city: 'Paris' } }, { input: { city: 'Rome' } }])
    expect(tasks).toEqual([
      { prompt: 'Weather?', input: { city: 'Paris' } },
      { prompt: '{\n  "city": "Rome"\n}', input: { city: 'Rome' } },
    ])
  })

  test('is a string in the column input among the others', async () => {
    const [task] = await tasksOf([{ prompt: 'Translate', question: 'x', input: 'Hello' }])
    expect(task).toEqual({ prompt: 'Hello', input: { input: 'Hello', prompt: 'Translate', question: 'x' } })
  })

  test('may be messages of a chat', async () => {
    const user = { role: 'user', content: 'Hi' }
    const system = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }, { type: 'image' }] }
    expect(await tasksOf([{ input: [user] }, { messages: [system, user] }, { task: 'Go', input: [user] }])).toEqual([
      { prompt: 'Hi', input: { messages: [user] } },
      { prompt: 'system: Be brief.\n[image]\n\nuser: Hi', input: { messages: [system, user] } },
      { prompt: 'Go', input: { messages: [user] } },
    ])
  })

  test('fills templates, at any depth', async () => {
    const rows = [{ task: 'x', input: { city: { name: 'Paris', at: [48.9, 2.4] }, 'a.b': true } }]
    const prompt = '{{input.city.name}} {{input.city.at.1}} {{input.a.b}} {{input.city.at}}'
    expect((await tasksOf(rows, prompt))[0]?.prompt).toBe('Paris 2.4 true [48.9,2.4]')
  })

  test.each(['input.town', 'input.city.name', 'input.constructor'])('has not {{%s}}', async (name) => {
    await expect(tasksOf([{ task: 'x', input: { city: 'Paris' } }], `{{${name}}}`)).rejects.toThrowError(
      `${name}: is missing, but the prompt uses it. Add it to the item, or remove {{${name}}} from the prompt.`,
    )
  })

  test.each([
    [{ input: 'x', task: '' }, 'task: is blank'],
    [{ input: [] }, 'input: must be a string, an object or an array of chat messages (got an array).'],
    [{ input: ['Hi'] }, 'input: must be a string, an object or an array of chat messages (got an array).'],
    [{ expected: 'x' }, 'task: is missing.'],
  ])('cannot be made of %j', async (row, message) => {
    await expect(tasksOf([row])).rejects.toThrowError(message)
  })
})

test('the hash of a row counts a separate input, and not the row itself', async () => {
  const hashOf = async (row: object) => {
    const path = join(directoryWith({}), 'rows.json')
    writeFileSync(path, JSON.stringify([row]))
    return (await (await openDataset(path)).item('row-1')).hash
  }
  expect(await hashOf({ question: 'x' })).toBe(await hashOf({ task: 'x' }))
  expect(await hashOf({ task: 'x', input: { a: 1 } })).not.toBe(await hashOf({ task: 'x', input: { a: 2 } }))
})

test('the type of the input is that of the items, or the one that is named', async () => {
  const weather: string[] = []
  const inferred = defineExperiment({
    name: 'weather',
    dataset: [{ task: 'Weather?', input: { city: 'Paris', days: 2 } }, { input: { city: 'Rome', days: 1 } }],
    agent: ({ input }) => {
      expectTypeOf(input).toExtend<{ city: string; days: number }>()
      weather.push(input.city)
      return completed(`${input.city}: sun for ${input.days} days`)
    },
    concurrency: 1,
  })
  await runExperiment(inferred).result
  expect(weather).toEqual(['Paris', 'Rome'])
  interface Place {
    readonly city: string
  }
  const anyAgent: Agent = async () => completed('')
  defineExperiment<Place, 'second'>({
    name: 'places',
    dataset: 'places.csv',
    agent: async ({ input }) => completed(input.city),
    variants: { second: { agent: anyAgent } },
  })
  defineExperiment({
    name: 'none',
    dataset: [{ task: 'x' }],
    agent: async ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<JsonObject | undefined>()
      return completed(String(input?.['city']))
    },
  })
})
