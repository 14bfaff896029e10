import type { OutputPart } from '@jurist/core'
import type { Look } from '../context/look.js'
import { isList } from '../context/look.js'

/** The messages of a result: one message, a list, or `messages` of an agent's state. */
export function messagesIn(root: Look): readonly Look[] {
  if (isList(root.value)) return root.list()
  const messages = root.get('messages')
  if (messages.present) return messages.list()
  return root.present ? [root] : []
}

/** The messages of this run: those after the last one of a human. */
export function ownMessages(messages: readonly Look[]): readonly Look[] {
  return messages.slice(messages.findLastIndex((message) => message.get('type').value === 'human') + 1)
}

/** The messages of one type. */
export function ofType(messages: readonly Look[], type: 'ai' | 'tool'): readonly Look[] {
  return messages.filter((message) => message.get('type').value === type)
}

/** The content of a message: a text, or blocks of text, images and whatever else, which is left out. */
export function partsIn(message: Look): readonly OutputPart[] {
  const content = message.get('content')
  if (typeof content.value === 'string') return [{ type: 'text', text: content.value }]
  return content.list().flatMap(partIn)
}

/** The text of a message. */
export function textIn(message: Look): string {
  return partsIn(message).reduce((text, part) => (part.type === 'text' ? text + part.text : text), '')
}

function partIn(block: Look): readonly OutputPart[] {
  if (typeof block.value === 'string') return [{ type: 'text', text: block.value }]
  switch (block.get('type').value) {
    case 'text':
      return [{ type: 'text', text: block.get('text').text() ?? '' }]
    case 'image_url':
      return imageAt(block.get('image_url'))
    case 'image':
      return imageIn(block)
    default:
      return []
  }
}

/** The block of chat completions: an address, often one that holds the data. */
function imageAt(place: Look): readonly OutputPart[] {
  const url = typeof place.value === 'string' ? place.value : place.get('url').text()
  if (url === undefined) return []
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? []
  if (mediaType !== undefined && data !== undefined) return [{ type: 'image', mediaType, data }]
  return [{ type: 'image', mediaType: 'image/*', url }]
}

/** The block of LangChain's own. */
function imageIn(block: Look): readonly OutputPart[] {
  const mediaType = block.get('mimeType').text() ?? block.get('mime_type').text() ?? 'image/*'
  const data = block.get('data').text()
  const url = block.get('url').text()
  if (data !== undefined) return [{ type: 'image', mediaType, data }]
  return url === undefined ? [] : [{ type: 'image', mediaType, url }]
}
