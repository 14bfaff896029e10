import type * as v from 'valibot'
import type { Documents } from '../store/documents.js'
import { readRecord } from '../store/stored-record.js'

/** Documents over texts of JSON, checked when they are read. */
export function textDocuments<Document extends object>(
  texts: Documents<string>,
  kind: string,
  schema: v.GenericSchema<unknown, Document>,
): Documents<Document> {
  const read = (text: string, name: string) => readRecord(schema, text, `${kind}/${name}`)
  return {
    async read(experimentName, name) {
      const text = await texts.read(experimentName, name)
      return text === undefined ? undefined : read(text, name)
    },
    async change(experimentName, name, change) {
      const text = await texts.change(experimentName, name, async (current) => {
        const next = await change(current === undefined ? undefined : read(current, name))
        return JSON.stringify({ schemaVersion: 1, ...next })
      })
      return read(text, name)
    },
    remove: texts.remove,
    async all(experimentName) {
      return (await texts.all(experimentName)).map((text) => read(text, experimentName))
    },
  }
}
