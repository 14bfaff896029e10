import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './build.js'

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'site/dist/site' }, items: { type: 'string', default: '6' } },
})
const items = Number(values.items)
if (!Number.isInteger(items) || items < 0) {
  console.error(`--items must be a number of items, or 0 for all (got "${values.items}").`)
  process.exit(2)
}
const out = resolve(values.out)
const pages = await buildSite({ out, items })
console.log(`${pages.length} pages in ${out}`)
