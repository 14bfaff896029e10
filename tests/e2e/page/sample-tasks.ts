import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the agents of the sample are asked to do: an item id, its bucket, and the function that is wrong. */
const tasks: readonly (readonly [id: string, bucket: string, task: string])[] = [
  ['add-endpoint', 'features', 'Add an endpoint that lists the orders of a customer, newest first, twenty a page.'],
  ['fix-totals', 'bugs', 'The totals of an invoice are off by a cent when a discount is applied. Find out why.'],
  ['rename-customer', 'refactorings', 'Rename Customer.name to Customer.displayName everywhere, tests included.'],
  ['upgrade-parser', 'upgrades', 'Move from version 2 of the parser to version 3 and keep the behaviour.'],
  ['tidy-imports', 'refactorings', 'Remove imports that nobody uses.'],
  ['parse-dates', 'bugs', 'Dates with a time zone are read as local times. Read them as what they say.'],
  ['retry-requests', 'features', 'Requests that fail with 429 or 503 are tried again, at most five times.'],
  ['cache-prices', 'features', 'Prices are asked for again and again. Keep them for a minute.'],
  ['escape-csv', 'bugs', 'A field with a line break ruins the exported table.'],
  ['split-module', 'refactorings', 'orders.js has grown too long. Split it where its ideas part.'],
  ['newer-runtime', 'upgrades', 'Make the service run on the next long-term release.'],
  ['round-money', 'bugs', 'Half a cent is rounded away from zero; it should go to the even neighbour.'],
]

const before = `import { price } from './price.js'

/** What an order costs in all. */
export function total(order) {
  let sum = 0
  for (const line of order.lines) {
    sum += price(line.article) * line.quantity
  }
  return sum
}

export function describe(order) {
  return order.lines.map((line) => line.article).join(', ')
}
`

/** The file as the agents should leave it. */
export const solved: string = before
  .replace('let sum = 0', 'let cents = 0')
  .replace(
    'sum += price(line.article) * line.quantity',
    'cents += Math.round(price(line.article) * 100) * line.quantity',
  )
  .replace('return sum', 'return cents / 100')

/** The file as agents leave it that missed half of the task. */
export const halfSolved: string = before.replace('return sum', 'return Math.round(sum * 100) / 100 // TODO: cents')

/** Writes a dataset of twelve items, each with a state before and a reference. */
export function writeDataset(directory: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const items = tasks.map(([id, bucket]) => ({ id, bucket, path: `items/${id}`, taskType: 'change' }))
  write('dataset.json', JSON.stringify({ schemaVersion: 1, name: 'shop', version: '3', items }))
  for (const [id, , task] of tasks) {
    write(`items/${id}/item.json`, JSON.stringify({ developerTask: task, tags: ['javascript', id.split('-')[0]] }))
    for (const [side, text] of [['before', before] as const, ['reference', solved] as const]) {
      write(`items/${id}/${side}/src/orders.js`, text)
      write(`items/${id}/${side}/package.json`, '{ "name": "shop", "type": "module" }\n')
    }
    write(`items/${id}/reference/CHANGES.md`, `# Changes\n\n- ${task}\n`)
  }
}
