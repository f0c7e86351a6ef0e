// Runs the engine in a worker, so that the page stays responsive, and can stop the engine. The page sends the compiled
// module first, then requests as JSON; the worker answers with JSON.

let engine;

function call(request) {
  const bytes = new TextEncoder().encode(request);
  const address = engine.request(bytes.length);
  new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
  const size = engine.answer();
  const response = new Uint8Array(engine.memory.buffer, engine.response(), size);
  return new TextDecoder().decode(response);
}

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      engine = (await WebAssembly.instantiate(data.module, {})).exports;
      // Run the constructors in which the rules register themselves.
      engine.__wasm_call_ctors();
    }
    const begun = performance.now();
    const response = call(data.request);
    postMessage({ id: data.id, response, time: performance.now() - begun });
  } catch (error) {
    postMessage({ id: data.id, fault: String(error) });
  }
};
