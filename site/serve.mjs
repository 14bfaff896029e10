import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'

/** @type {{ readonly [ending: string]: string | undefined }} */
const types = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/**
 * Serves a directory of files on loopback, below a path.
 *
 * @param {string} directory
 * @param {string} below such as `/jurist/`
 * @param {number} [port] 0, the default, takes a free one
 * @returns {Promise<{ readonly origin: string, readonly close: () => Promise<void> }>}
 */
export async function serveSite(directory, below, port = 0) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const path = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    const file = normalize(join(directory, path.slice(below.length)))
    try {
      if (!path.startsWith(below) || !file.startsWith(directory + sep)) throw new Error('outside')
      const content = await readFile(file)
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(content)
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.')
    }
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(undefined))
  })
  const address = server.address()
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
