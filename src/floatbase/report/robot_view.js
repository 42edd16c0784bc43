// What a reader can do with a robot: turn it, move its joints, play its motion.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class RobotView {
  constructor(figure) {
    this.robot = JSON.parse(figure.querySelector("script").textContent);
    this.canvas = figure.querySelector("canvas");
    this.controls = figure.querySelector(".robot-controls");
    this.q = Float64Array.from(this.robot.q);
    this.time = 0;
    this.playing = false;
    this.speed = 1;
    this.forces = [];
    try {
      this.drawing = new Drawing(this.canvas, this.robot);
    } catch (error) {
      this.canvas.remove();
      this.controls.append(made("p", {}, `The robot cannot be shown: ${error.message}.`));
      return;
    }
    const size = this.drawing.size;
    this.camera = { target: this.drawing.middle, distance: 1.45 * size, azimuth: 0.6, elevation: 0.22, angle: 0.62 };
    if (this.robot.motion) this.addTimeLine(this.robot.motion);
    this.addJoints();
    this.addTurning();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    this.show(0);
  }

  addTimeLine(motion) {
    this.times = unpack(motion.time, Float32Array);
    this.samples = unpack(motion.q, Float32Array);
    this.loads = motion.forces.map((item) => ({ ...item, values: unpack(item.values, Float32Array) }));
    const largest = Math.max(1e-9, ...this.loads.map(({ values }) => values.reduce((a, x) => Math.max(a, Math.abs(x)), 0)));
    this.newtons = 0.4 * this.drawing.size / largest; // metres of an arrow for one newton
    const end = this.times[this.times.length - 1];
    this.button = made("button", { type: "button", class: "play" }, "Play");
    this.line = made("input", { type: "range", min: 0, max: end, step: end / 2000, value: 0, class: "time", "aria-label": "time" });
    this.clock = made("output", { class: "clock" });
    const speed = made("select", { "aria-label": "speed" },
      ...SPEEDS.map((value) => made("option", { value }, `${value}×`)));
    speed.value = "1";
    this.controls.append(made("div", { class: "time-line" }, this.button, this.line, this.clock, speed));
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.line.addEventListener("input", () => { this.play(false); this.show(Number(this.line.value)); });
    speed.addEventListener("change", () => { this.speed = Number(speed.value); });
  }

  addJoints() {
    if (!this.robot.joints.length) return;
    const grid = made("div", { class: "joints" });
    this.sliders = this.robot.joints.map((joint) => {
      const factor = joint.angle ? 180 / Math.PI : 1;
      const input = made("input", { type: "range", min: joint.low * factor, max: joint.high * factor,
        step: joint.angle ? 0.1 : 0.001, "data-joint": joint.name });
      const output = made("output");
      input.addEventListener("input", () => {
        this.play(false);
        this.q[joint.place] = Number(input.value) / factor;
        this.redraw();
      });
      grid.append(made("label", {}, made("span", {}, joint.name), input, output));
      return { ...joint, factor, input, output };
    });
    const reset = made("button", { type: "button" }, "Back to the start");
    reset.addEventListener("click", () => { this.play(false); this.q.set(this.robot.q); this.show(0); });
    this.controls.append(made("details", {}, made("summary", {}, `Joints (${this.sliders.length})`), grid, reset));
  }

  addTurning() {
    const { canvas, camera } = this;
    const turn = (x, y) => {
      camera.azimuth -= x;
      camera.elevation = Math.min(1.5, Math.max(-1.2, camera.elevation + y));
      this.redraw();
    };
    const zoom = (factor) => {
      camera.distance = Math.min(20, Math.max(0.2, camera.distance / this.drawing.size * factor)) * this.drawing.size;
      this.redraw();
    };
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) turn(0.008 * event.movementX, 0.008 * event.movementY);
    });
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas) return; // the page scrolls until the robot is chosen
      event.preventDefault();
      zoom(Math.exp(0.001 * event.deltaY));
    }, { passive: false });
    const keys = { ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0), ArrowUp: () => turn(0, 0.1),
      ArrowDown: () => turn(0, -0.1), "+": () => zoom(0.9), "-": () => zoom(1.1),
      " ": () => this.times && this.play(!this.playing) };
    canvas.addEventListener("keydown", (event) => {
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  play(playing) {
    if (!this.times || playing === this.playing) return;
    this.playing = playing;
    this.button.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    if (this.time >= this.times[this.times.length - 1]) this.show(0);
    let before = null;
    const step = (now) => {
      if (!this.playing) return;
      if (before !== null) this.show(this.time + this.speed * (now - before) / 1000);
      before = now;
      if (this.time >= this.times[this.times.length - 1]) this.play(false);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  show(time) {
    if (!this.times) return this.redraw();
    const { times, samples, q } = this, last = times.length - 1, n = q.length;
    this.time = Math.min(Math.max(time, 0), times[last]);
    let low = 0, high = last;
    while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= this.time) low = middle; else high = middle; }
    const s = Math.min(Math.max((this.time - times[low]) / (times[high] - times[low] || 1), 0), 1);
    const between = (values, width, k) => (1 - s) * values[width * low + k] + s * values[width * high + k];
    for (let k = 0; k < n; k++) q[k] = between(samples, n, k);
    this.forces = this.loads.map((item) => ({ ...item, force: [0, 1, 2].map((k) => this.newtons * between(item.values, 3, k)) }));
    this.line.value = this.time;
    this.clock.textContent = `${(this.robot.motion.start + this.time).toFixed(2)} s`;
    return this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const { canvas, camera } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
      const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
      if (!width || !height) return;
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
      const c = Math.cos(camera.elevation), away = [c * Math.cos(camera.azimuth), c * Math.sin(camera.azimuth), Math.sin(camera.elevation)];
      camera.eye = plus(camera.target, away.map((x) => x * camera.distance));
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const style = dark ? { lines: [0.6, 0.66, 0.72, 0.22], shadow: [0, 0, 0, 0.45], force: [0.35, 0.85, 0.5, 1] }
        : { lines: [0.45, 0.5, 0.55, 0.3], shadow: [0.1, 0.12, 0.15, 0.2], force: [0.1, 0.6, 0.3, 1] };
      const poses = bodyPoses(this.robot, this.q);
      const forces = this.forces.map(({ body, at, force }) => ({ tail: plus(poses[body][1], turned(poses[body][0], at)), force }));
      this.drawing.draw(poses, forces, camera, style);
      for (const { place, factor, input, output, angle } of this.sliders || []) {
        input.value = this.q[place] * factor;
        output.textContent = angle ? `${(this.q[place] * factor).toFixed(1)}°` : `${this.q[place].toFixed(3)} m`;
      }
    });
  }
}

for (const figure of document.querySelectorAll("figure.robot-view")) figure.view = new RobotView(figure);
