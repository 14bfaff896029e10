import type { Documents } from '@jurist/experiment/store-kit'
import type { Database } from './database.js'

/**
 * The documents of one kind. A change reads, asks, and writes only where the document is still the same; else it begins again.
 * No connection waits while the change is made, so a small pool cannot come to a stop.
 */
export function documentRows({ schema, rows }: Database, kind: 'sessions' | 'sweeps' | 'labels'): Documents<string> {
  async function read(experimentName: string, name: string): Promise<string | undefined> {
    const [found] = await rows<{ readonly body: string }>(
      `select body from ${schema}.documents where kind = $1 and experiment = $2 and name = $3`,
      [kind, experimentName, name],
    )
    return found?.body
  }

  /** Whether the document was `current` and is `next` now. */
  async function replaced(place: readonly string[], current: string | undefined, next: string): Promise<boolean> {
    const text =
      current === undefined
        ? `insert into ${schema}.documents (kind, experiment, name, body) values ($1, $2, $3, $4)
            on conflict do nothing returning name`
        : `update ${schema}.documents set body = $4 where kind = $1 and experiment = $2 and name = $3 and body = $5 returning name`
    return (await rows(text, [...place, next, ...(current === undefined ? [] : [current])])).length === 1
  }

  return {
    read,
    async change(experimentName, name, change) {
      for (;;) {
        const current = await read(experimentName, name)
        const next = await change(current)
        if (await replaced([kind, experimentName, name], current, next)) return next
      }
    },
    async remove(experimentName, name) {
      const text = `delete from ${schema}.documents where kind = $1 and experiment = $2 and name = $3 returning name`
      return (await rows(text, [kind, experimentName, name])).length === 1
    },
    async all(experimentName) {
      const found = await rows<{ readonly body: string }>(
        `select body from ${schema}.documents where kind = $1 and experiment = $2`,
        [kind, experimentName],
      )
      return found.map(({ body }) => body)
    },
  }
}
