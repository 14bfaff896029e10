export type Listener<Value> = (value: Value) => void

export interface Emitter<Value> {
  on(listener: Listener<Value>): () => void
  emit(value: Value): void
}

/** Calls its listeners in the order in which they were added. */
export function createEmitter<Value>(): Emitter<Value> {
  const listeners: Listener<Value>[] = []
  return {
    on(listener) {
      listeners.push(listener)
      return () => {
        const index = listeners.indexOf(listener)
        if (index >= 0) listeners.splice(index, 1)
      }
    },
    emit(value) {
      for (const listener of listeners) listener(value)
    },
  }
}
