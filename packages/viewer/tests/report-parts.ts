import { gunzipSync } from 'node:zlib'
import { fromColumns } from '../src/answers/report-data.js'

/** The parts of a report of one file by name, decompressed. */
export function partsOf(html: string): Readonly<Record<string, readonly unknown[]>> {
  const found = html.matchAll(/<script type="application\/gzip" id="([^"]*)">([^<]*)<\/script>/g)
  const unpacked = (data: string) => fromColumns(JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString()))
  return Object.fromEntries([...found].map(([, name = '', data = '']) => [name, unpacked(data)]))
}
