import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const GET_ATTRIBUTES = 3;
const MAP = 8;
const UNMAP = 10;
const QUERY_TREE = 15;
const INTERN_ATOM = 16;
const GET_PROPERTY = 20;
const SEND_EVENT = 25;
const CLIENT_MESSAGE = 33;
const WM_NAME = 39;
const VIEWABLE = 2;
const COOKIE = 'MIT-MAGIC-COOKIE-1';

export interface XWindow {
  readonly id: number;
  readonly name: string;
  /** It is on the screen, as far as the server knows. */
  readonly isShown: boolean;
}

/**
 * A look at the X server that the windows under test are on, by the few requests that this takes: which windows there
 * are, taking one off the screen and putting it back, and asking it to close, as a window manager does.
 */
export class XDisplay {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #wake = () => {};
  #root = 0;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('close', () => this.#wake());
  }

  /** Null when DISPLAY names no X server of this machine, or when it lets nobody in. */
  static async connect(): Promise<XDisplay | null> {
    const number = /^:(\d+)/.exec(process.env.DISPLAY ?? '')?.[1];
    if (number === undefined) return null;
    const socket = net.connect(`/tmp/.X11-unix/X${number}`);
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.on('error', () => {});
    const display = new XDisplay(socket);
    if (isOpen && (await display.#greet(cookieOf(number)))) return display;
    socket.destroy();
    return null;
  }

  /** All windows; most have no name. */
  async windows(): Promise<XWindow[]> {
    const found: XWindow[] = [];
    const visit = async (id: number): Promise<void> => {
      const tree = await this.#ask(QUERY_TREE, [id]);
      const name = await this.#ask(GET_PROPERTY, [id, WM_NAME, 0, 0, 64]);
      const attributes = await this.#ask(GET_ATTRIBUTES, [id]);
      if (tree === null || name === null || attributes === null) return; // it has just been destroyed
      const text = name.toString('utf8', 32, 32 + name.readUInt32LE(16));
      found.push({ id, name: text, isShown: attributes[26] === VIEWABLE });
      for (let i = 0; i < tree.readUInt16LE(16); i++) await visit(tree.readUInt32LE(32 + 4 * i));
    };
    await visit(this.#root);
    return found;
  }

  async show(id: number, isShown: boolean): Promise<void> {
    this.#say(isShown ? MAP : UNMAP, [id]);
    await this.#ask(GET_ATTRIBUTES, [id]); // requests are done in order: it has been done
  }

  /** What the cross in the frame of a window does. */
  async askToClose(id: number): Promise<void> {
    const [protocols, remove] = [await this.#atom('WM_PROTOCOLS'), await this.#atom('WM_DELETE_WINDOW')];
    const event = [CLIENT_MESSAGE | (32 << 8), id, protocols, remove, 0, 0, 0, 0];
    this.#say(SEND_EVENT, [id, 0, ...event]);
    await this.#ask(GET_ATTRIBUTES, [id]);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #atom(name: string): Promise<number> {
    const bytes = padded(Buffer.from(name));
    const words = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
    return (await this.#ask(INTERN_ATOM, [name.length, ...words]))?.readUInt32LE(8) ?? 0;
  }

  async #greet(cookie: Buffer): Promise<boolean> {
    const name = Buffer.from(cookie.length > 0 ? COOKIE : '');
    const head = Buffer.alloc(12);
    head.write('l');
    head.writeUInt16LE(11, 2);
    head.writeUInt16LE(name.length, 6);
    head.writeUInt16LE(cookie.length, 8);
    this.#socket.write(Buffer.concat([head, padded(name), padded(cookie)]));
    const start = await this.#take(8);
    if (start?.[0] !== 1) return false;
    const rest = await this.#take(4 * start.readUInt16LE(6));
    if (rest === null) return false;
    const vendor = rest.readUInt16LE(16);
    const formats = rest[21] ?? 0;
    this.#root = rest.readUInt32LE(32 + 4 * Math.ceil(vendor / 4) + 8 * formats);
    return true;
  }

  #say(opcode: number, words: readonly number[]): void {
    const request = Buffer.alloc(4 + 4 * words.length);
    request[0] = opcode;
    request.writeUInt16LE(1 + words.length, 2);
    words.forEach((word, i) => {
      request.writeUInt32LE(word, 4 + 4 * i);
    });
    this.#socket.write(request);
  }

  /** The reply; null for an error. Events are passed over: none were asked for. One request at a time. */
  async #ask(opcode: number, words: readonly number[]): Promise<Buffer | null> {
    this.#say(opcode, words);
    for (;;) {
      const head = await this.#take(32);
      if (head === null || head[0] === 0) return null;
      if (head[0] !== 1) continue;
      const rest = await this.#take(4 * head.readUInt32LE(4));
      return rest === null ? null : Buffer.concat([head, rest]);
    }
  }

  async #take(length: number): Promise<Buffer | null> {
    while (this.#received.length < length) {
      if (this.#socket.destroyed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

/** What lets a program in to the display; empty when there is none. */
function cookieOf(display: string): Buffer {
  let file: Buffer;
  try {
    file = fs.readFileSync(process.env.XAUTHORITY ?? path.join(os.homedir(), '.Xauthority'));
  } catch {
    return Buffer.alloc(0);
  }
  for (let at = 0; at < file.length; ) {
    at += 2; // the family of the address
    const [, number, name, data] = [0, 1, 2, 3].map(() => {
      const length = file.readUInt16BE(at);
      at += 2 + length;
      return file.subarray(at - length, at);
    });
    if (name?.toString() === COOKIE && (number?.length === 0 || number?.toString() === display))
      return data ?? Buffer.alloc(0);
  }
  return Buffer.alloc(0);
}
