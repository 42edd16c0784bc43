"use strict";
// Where the bodies of a robot are, and how they are drawn with WebGL.

const turnZ = (s) => [Math.cos(s), -Math.sin(s), 0, Math.sin(s), Math.cos(s), 0, 0, 0, 1];
const quaternion = ([w, x, y, z]) => {
  const n = 2 / (w * w + x * x + y * y + z * z || 1);
  return [1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y),
    n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x),
    n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)];
};
const transposed = (R) => [R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]];
const turned = (R, p) => [0, 3, 6].map((i) => R[i] * p[0] + R[i + 1] * p[1] + R[i + 2] * p[2]);
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((x) => x / n); };
const product = (A, B) => [0, 3, 6].flatMap((i) => [0, 1, 2].map(
  (j) => A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j]));

function jointMotion(body, q) {
  const s = q[body.place] * body.ratio + body.offset, at = (k, n) => Array.from(q.slice(body.place + k, body.place + k + n));
  let found;
  if (body.kind === "revolute") found = [turnZ(s), [0, 0, 0]];
  else if (body.kind === "prismatic") found = [turnZ(0), [0, 0, s]];
  else if (body.kind === "helical") found = [turnZ(s), [0, 0, body.pitch * s]];
  else if (body.kind === "planar") found = [turnZ(q[body.place + 2]), [...at(0, 2), 0]];
  else if (body.kind === "spherical") found = [quaternion(at(0, 4)), [0, 0, 0]];
  else found = [quaternion(at(3, 4)), at(0, 3)];
  if (!body.reversed) return found;
  const R = transposed(found[0]);
  return [R, turned(R, found[1]).map((x) => -x)];
}

// rotation and position of every body in the world
function bodyPoses(robot, q) {
  const poses = [];
  for (const body of robot.bodies) {
    if (body.parent < 0) {
      poses.push(robot.floating ? [quaternion(Array.from(q.slice(3, 7))), Array.from(q.slice(0, 3))] : [turnZ(0), [0, 0, 0]]);
      continue;
    }
    const [R, p] = poses[body.parent], [turn, move] = jointMotion(body, q);
    poses.push([product(product(R, body.turn), turn), plus(p, turned(R, plus(body.move, turned(body.turn, move))))]);
  }
  return poses;
}

function unpack(text, kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new kind(bytes.buffer);
}

const VERTEX = `#version 300 es
in vec3 point; in vec3 normal;
uniform mat4 seen; uniform mat4 placed; uniform float flat_to; uniform vec3 lamp;
out vec3 facing; out vec3 place;
void main() {
  vec4 p = placed * vec4(point, 1.0);
  if (flat_to > -1e8) p.xyz = vec3(p.xy - lamp.xy * (p.z - flat_to) / lamp.z, flat_to);
  facing = mat3(placed) * normal; place = p.xyz; gl_Position = seen * p;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 facing; in vec3 place; out vec4 result;
uniform vec4 color; uniform vec3 eye; uniform vec3 lamp; uniform int kind; uniform vec3 middle; uniform float reach;
vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
void main() {
  if (kind == 1) { result = vec4(color.rgb * color.a, color.a); return; }
  if (kind == 2) { float fade = color.a * (1.0 - smoothstep(0.35, 1.0, length(place.xy - middle.xy) / reach));
    result = vec4(color.rgb * fade, fade); return; }
  vec3 n = normalize(facing), to_eye = normalize(eye - place);
  if (dot(n, to_eye) < 0.0) n = -n;
  vec3 side = normalize(cross(to_eye, vec3(0.0, 0.0, 1.0)));
  float sky = 0.5 + 0.5 * n.z, key = max(dot(n, lamp), 0.0), fill = max(dot(n, normalize(side + 0.4 * to_eye)), 0.0);
  vec3 light = mix(vec3(0.17, 0.16, 0.16), vec3(0.44, 0.46, 0.50), sky) + 0.82 * key * vec3(1.0, 0.97, 0.92)
    + 0.18 * fill * vec3(0.85, 0.92, 1.0);
  float shine = pow(max(dot(n, normalize(lamp + to_eye)), 0.0), 40.0) * step(0.0, dot(n, lamp));
  vec3 c = linear(color.rgb) * light + 0.14 * shine + 0.05 * pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
  c = c / (1.0 + max(c - 0.75, 0.0));
  result = vec4(pow(min(c, 1.0), vec3(1.0 / 2.2)), 1.0);
}`;

function compiled(gl) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "point");
  gl.bindAttribLocation(program, 1, "normal");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const found = { program };
  for (const name of ["seen", "placed", "flat_to", "lamp", "color", "eye", "kind", "middle", "reach"])
    found[name] = gl.getUniformLocation(program, name);
  return found;
}

function uploaded(gl, points, normals, triangles, scaled) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const kinds = new Map([[Uint16Array, gl.UNSIGNED_SHORT], [Int8Array, gl.BYTE], [Float32Array, gl.FLOAT]]);
  [points, normals].forEach((values, place) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, kinds.get(values.constructor), scaled, 0, 0);
  });
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
  return { array, count: triangles.length, index: triangles instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT };
}

// an arrow of length 1 along z: a shaft and a tip; its width is scaled with `placed`
function arrowShape(gl, segments = 20) {
  const points = [], normals = [], triangles = [];
  for (const [low, wide, high, narrow, slope] of [[0, 0.35, 0.8, 0.35, 0], [0.8, 1, 1, 0, 0.4]])
    for (let k = 0; k <= segments; k++) {
      const c = Math.cos(2 * Math.PI * k / segments), s = Math.sin(2 * Math.PI * k / segments), first = points.length / 3;
      points.push(wide * c, wide * s, low, narrow * c, narrow * s, high);
      normals.push(c, s, slope, c, s, slope);
      if (k < segments) triangles.push(first, first + 2, first + 1, first + 1, first + 2, first + 3);
    }
  return uploaded(gl, new Float32Array(points), new Float32Array(normals), new Uint16Array(triangles), false);
}

function niceStep(about) {
  const ten = 10 ** Math.floor(Math.log10(about));
  return ten * [1, 2, 5, 10].find((factor) => factor * ten >= about);
}

function groundGrid(gl, middle, reach, height) {
  const points = [], step = niceStep(reach / 5), count = Math.ceil(reach / step);
  const [x, y] = middle.map((m) => Math.round(m / step) * step);
  for (let k = -count; k <= count; k++)
    points.push(x + k * step, y - count * step, height, x + k * step, y + count * step, height,
      x - count * step, y + k * step, height, x + count * step, y + k * step, height);
  const normals = new Float32Array(points.length);
  return uploaded(gl, new Float32Array(points), normals, Uint16Array.from(points.keys()).slice(0, points.length / 3), false);
}

const columns = (R, p, scale) => new Float32Array([
  R[0] * scale[0], R[3] * scale[0], R[6] * scale[0], 0, R[1] * scale[1], R[4] * scale[1], R[7] * scale[1], 0,
  R[2] * scale[2], R[5] * scale[2], R[8] * scale[2], 0, ...p, 1]);

function seenFrom(camera, aspect) {
  const f = 1 / Math.tan(camera.angle / 2), near = camera.distance * 0.02, far = camera.distance * 20;
  const back = unit(minus(camera.eye, camera.target)), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
  const x = f / aspect, depth = (far + near) / (near - far), w = 2 * far * near / (near - far);
  const t = [-dot(right, camera.eye), -dot(up, camera.eye), -dot(back, camera.eye)], matrix = [];
  for (let k = 0; k < 3; k++) matrix.push(x * right[k], f * up[k], depth * back[k], -back[k]);
  return new Float32Array([...matrix, x * t[0], f * t[1], depth * t[2] + w, -t[2]]);
}

// colours are numbers from 0 to 1, with how much they cover as the fourth
class Drawing {
  constructor(canvas, robot) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, premultipliedAlpha: true });
    if (!gl) throw new Error("this browser has no WebGL 2, which the robot is drawn with");
    this.gl = gl;
    this.canvas = canvas;
    this.robot = robot;
    this.at = compiled(gl);
    this.shapes = robot.shapes.map((shape) => ({
      ...shape,
      drawn: uploaded(gl, unpack(shape.points, Uint16Array), unpack(shape.normals, Int8Array),
        unpack(shape.triangles, shape.wide ? Uint32Array : Uint16Array), true),
    }));
    this.arrow = arrowShape(gl);
    this.size = Math.hypot(...minus(robot.high, robot.low));
    this.reach = 1.3 * this.size;
    this.middle = robot.low.map((x, k) => (x + robot.high[k]) / 2);
    this.grid = groundGrid(gl, this.middle, this.reach, robot.low[2]);
  }

  draw(poses, forces, camera, style) {
    const { gl, at, robot } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clearStencil(0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.useProgram(at.program);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const back = unit(minus(camera.eye, camera.target)), right = unit(cross([0, 0, 1], back));
    const lamp = unit([0.45 * back[0] - 0.6 * right[0], 0.45 * back[1] - 0.6 * right[1], 1]);
    gl.uniformMatrix4fv(at.seen, false, seenFrom(camera, this.canvas.width / this.canvas.height));
    gl.uniform3fv(at.lamp, lamp);
    gl.uniform3fv(at.eye, camera.eye);
    gl.uniform3fv(at.middle, this.middle);
    gl.uniform1f(at.reach, this.reach);
    gl.uniform1f(at.flat_to, -1e9);
    gl.uniformMatrix4fv(at.placed, false, columns(turnZ(0), [0, 0, 0], [1, 1, 1]));
    gl.depthMask(false);
    this.show(this.grid, 2, style.lines, gl.LINES);
    gl.enable(gl.STENCIL_TEST); // a place in the shadow of two bodies is not darker
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.uniform1f(at.flat_to, robot.low[2]);
    for (const shape of this.shapes) this.place(shape, poses), this.show(shape.drawn, 1, style.shadow);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
    gl.uniform1f(at.flat_to, -1e9);
    for (const shape of this.shapes) this.place(shape, poses), this.show(shape.drawn, 0, [...shape.color, 1]);
    gl.disable(gl.DEPTH_TEST); // arrows are seen through the robot
    for (const { tail, force } of forces) {
      const length = Math.hypot(...force);
      if (length < 0.01 * this.size) continue;
      const z = force.map((x) => x / length), x = unit(cross(Math.abs(z[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], z)), y = cross(z, x);
      const R = [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]], width = 0.014 * this.size;
      gl.uniformMatrix4fv(at.placed, false, columns(R, tail, [width, width, length]));
      this.show(this.arrow, 0, style.force);
    }
  }

  place(shape, poses) {
    const [R, p] = poses[shape.body], size = [shape.size, shape.size, shape.size];
    this.gl.uniformMatrix4fv(this.at.placed, false, columns(R, plus(p, turned(R, shape.low)), size));
  }

  show(drawn, kind, color, mode = this.gl.TRIANGLES) {
    this.gl.uniform1i(this.at.kind, kind);
    this.gl.uniform4fv(this.at.color, color);
    this.gl.bindVertexArray(drawn.array);
    this.gl.drawElements(mode, drawn.count, drawn.index, 0);
  }
}
