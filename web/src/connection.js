// The way to the server: packets in, messages out, and again when the line breaks. See src/view/packet.h and message.h.

const kinds = {f32: Float32Array, u32: Uint32Array, i32: Int32Array};

/** A packet taken apart: {head, arrays by name}. Arrays are views into the buffer. */
export function readPacket(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  let at = 4 + length;
  for (const [name, kind, size] of head.arrays) {
    arrays[name] = new kinds[kind](buffer, at, size);
    at += 4 * size;
  }
  return {head, arrays};
}

/**
 * Connects, and again where the line breaks. hears(packet) for every packet; tells(text) where something is wrong, and
 * tells('') when it is right again.
 */
export function connect(hears, tells) {
  const here = new URL(window.location.href);
  const address = `${here.protocol === 'https:' ? 'wss' : 'ws'}://${here.host}/${here.search}`;
  let socket = null, wait = 500;

  function open() {
    let heard = false;
    socket = new WebSocket(address, 'muslin');
    socket.binaryType = 'arraybuffer';
    socket.onmessage = event => {
      if (!heard) tells('');
      heard = true;
      wait = 500;
      hears(readPacket(event.data));
    };
    socket.onclose = event => {
      if (event.code === 1003 || event.code === 1008 || event.code === 1009) {
        tells(`muslin has closed the connection: ${event.reason || 'it did not understand this page'}. Reload to continue.`);
        return;
      }
      tells('The connection was lost. If muslin has stopped, start it again and open the address that it prints; ' +
            'otherwise this page reconnects by itself.');
      setTimeout(open, wait);
      wait = Math.min(2 * wait, 8000);
    };
  }
  open();
  return {
    say(message) {
      if (socket.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify(message));
    },
  };
}
