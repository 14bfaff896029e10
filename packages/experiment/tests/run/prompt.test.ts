import { dataset } from '@jurist/experiment/dataset'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { promptProblems, renderPrompt, templateIssues } from '../../src/run/prompt.js'

const items = dataset({
  name: 'x',
  items: [
    {
      id: 'first',
      slug: 'one',
      task: 'Rename {{id}}',
      bucket: 'B',
      taskType: 'rename',
      tags: ['a', 'b'],
      knowledgeRefs: ['x.md', 'y.md'],
      metadata: { level: 3, 'a.b': 'dotted', data: { k: [1] } },
    },
  ],
})
const item = await items.item('first')

test.each([
  ['{{task}}', 'Rename {{id}}'],
  ['{{ id }}/{{slug}}/{{bucket}}/{{taskType}}', 'first/one/B/rename'],
  ['{{tags}}: {{knowledgeRefs}}', 'a, b: x.md\ny.md'],
  ['{{metadata.level}} {{metadata.a.b}} {{metadata.data}}', '3 dotted {"k":[1]}'],
  ['\\{{task}} {single} }}', '{{task}} {single} }}'],
  ['', ''],
])('%j', (template, expected) => {
  expect(renderPrompt(template, item)).toBe(expected)
})

test('no knowledge is an empty text', async () => {
  const [plain] = [await dataset({ name: 'x', items: [{ id: 'a', task: 't' }] }).item('a')]
  expect(renderPrompt('[{{knowledgeRefs}}]', plain)).toBe('[]')
})

describe('what is wrong', () => {
  test('an unknown name, with the nearest', () => {
    expect(() => renderPrompt('{{taks}} {{colour}}', item)).toThrowError(
      expect.objectContaining({
        code: 'experiment-invalid',
        details: {
          issues: [
            {
              field: 'prompt',
              problem: '{{taks}} is not a known name.',
              remedy: expect.stringContaining('{{task}}'),
            },
            {
              field: 'prompt',
              problem: '{{colour}} is not a known name.',
              remedy: expect.stringContaining('taskType'),
            },
          ],
        },
      }),
    )
  })

  test.each(['{{', 'a {{task', '{{ {x} }}', '{{}}', '{{metadata.}}', '{{constructor}}'])('%j', (template) => {
    expect(templateIssues(template, 'variants.a.prompt')).toMatchObject([{ field: 'variants.a.prompt' }])
  })

  test('metadata that the item does not have', () => {
    expect(promptProblems('{{metadata.none}} {{metadata.none}} {{metadata.toString}}', item)).toMatchObject([
      { item: 'first', field: 'metadata.none', severity: 'error' },
      { field: 'metadata.toString' },
    ])
    expect(() => renderPrompt('{{metadata.none}}', item)).toThrowError(
      expect.objectContaining({ code: 'dataset-invalid' }),
    )
  })
})

test('text without double braces stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes('{{'))
      expect(renderPrompt(text, item)).toBe(text)
    }),
  )
})
