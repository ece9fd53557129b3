package io.retroscope.cli.perfetto;

import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/**
 * A writer of events in the JSON format of Chrome's traces: a process per node, a thread per track,
 * times in microseconds. Used by one thread.
 */
final class TraceEvents implements AutoCloseable {
  private final Writer out;
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
    event(name, 'M', track, 0, "\"args\":{" + text(key) + ":" + text(value) + "}");
  }

  /** A value over some time. */
  void slice(Track track, String name, long start, long micros) {
    event(name, 'X', track, start, "\"dur\":" + Math.max(1, micros));
  }

  /** A moment. */
  void instant(Track track, String name, long at) {
    event(name, 'i', track, at, "\"s\":\"t\"");
  }

  /**
   * A number from a time on.
   *
   * @param number its text in JSON
   */
  void counter(Track track, String name, long at, String number) {
    event(name, 'C', track, at, "\"args\":{\"value\":" + number + "}");
  }

  /**
   * An end of a message as a slice of one microsecond, to which the arrow belongs: other slices of
   * the same time do not matter.
   *
   * @param id of the arrow
   * @param isSend whether the arrow begins here
   */
  void end(Track track, String name, long at, long id, boolean isSend) {
    String flow = isSend ? "flow_out" : "flow_in";
    String rest = "\"cat\":\"message\",\"dur\":1,\"bind_id\":\"0x%x\",\"%s\":true";
    event(name, 'X', track, at, rest.formatted(id, flow));
  }

  private void event(String name, char phase, Track track, long at, String rest) {
    append(begun ? ",\n" : "\n");
    begun = true;
    append(
        "{\"name\":%s,\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,%s}"
            .formatted(text(name), phase, track.process(), track.thread(), at, rest));
  }

  static String text(String value) {
    return JsonValues.text(Value.of(value));
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
