// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.perfetto;

import io.retroscope.rql.json.JsonBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/**
 * A writer of events in the JSON format of Chrome's traces: a process per node, a thread per track,
 * times in microseconds. Used by one thread.
 */
final class TraceEvents implements AutoCloseable {
  private final Writer out;
  private final JsonBuffer buffer = new JsonBuffer();
  private boolean begun;

  /** A track: a process and one of its threads. */
  record Track(int process, int thread) {}

  TraceEvents(Writer out) {
    this.out = out;
    append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  /** Names a process, and describes its clock. */
  void process(int process, String name, String labels) {
    metadata("process_name", new Track(process, 0), "name", name);
    metadata("process_labels", new Track(process, 0), "labels", labels);
  }

  /** Names a thread. */
  void thread(Track track, String name) {
    metadata("thread_name", track, "name", name);
  }

  private void metadata(String name, Track track, String key, String value) {
    event(
        name,
        "M",
        track,
        0,
        json ->
            json.writeObjectPropertyStart("args").writeStringProperty(key, value).writeEndObject());
  }

  /** A value over some time. */
  void slice(Track track, String name, long start, long micros) {
    event(name, "X", track, start, json -> json.writeNumberProperty("dur", Math.max(1, micros)));
  }

  /** A moment. */
  void instant(Track track, String name, long at) {
    event(name, "i", track, at, json -> json.writeStringProperty("s", "t"));
  }

  /**
   * A number from a time on.
   *
   * @param number its text in JSON
   */
  void counter(Track track, String name, long at, String number) {
    event(
        name,
        "C",
        track,
        at,
        json ->
            json.writeObjectPropertyStart("args")
                .writeName("value")
                .writeRawValue(number)
                .writeEndObject());
  }

  /**
   * An end of a message as a slice of one microsecond, to which the arrow belongs: other slices of
   * the same time do not matter.
   *
   * @param id of the arrow
   * @param isSend whether the arrow begins here
   */
  void end(Track track, String name, long at, long id, boolean isSend) {
    event(
        name,
        "X",
        track,
        at,
        json ->
            json.writeStringProperty("cat", "message")
                .writeNumberProperty("dur", 1)
                .writeStringProperty("bind_id", "0x%x".formatted(id))
                .writeBooleanProperty(isSend ? "flow_out" : "flow_in", true));
  }

  private void event(
      String name, String phase, Track track, long at, Consumer<JsonGenerator> rest) {
    append(begun ? ",\n" : "\n");
    begun = true;
    append(
        buffer.text(
            json -> {
              json.writeStartObject();
              json.writeStringProperty("name", name);
              json.writeStringProperty("ph", phase);
              json.writeNumberProperty("pid", track.process());
              json.writeNumberProperty("tid", track.thread());
              json.writeNumberProperty("ts", at);
              rest.accept(json);
              json.writeEndObject();
            }));
  }

  private void append(String text) {
    try {
      out.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    append("\n]}\n");
  }
}
