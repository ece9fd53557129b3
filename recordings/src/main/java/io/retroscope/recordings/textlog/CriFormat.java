// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.List;

/** The lines of Kubernetes' container runtimes: time, stream, P or F, text. Immutable. */
final class CriFormat implements LineFormat {
  @Override
  public String name() {
    return "cri";
  }

  @Override
  public String title() {
    return "Kubernetes container logs (CRI); partial lines are joined";
  }

  @Override
  public List<String> samples() {
    return List.of("2026-11-20T18:40:00.123456789Z stdout F level=info msg=started");
  }

  @Override
  public String kind() {
    return "by hand";
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader();
  }

  private static final class Reader implements LineReader {
    private final TimeScanner scanner = new TimeScanner();
    private final WrappedLevel level = new WrappedLevel();

    @Override
    public boolean read(String line, Entry into) {
      int end = scanner.scan(line, 0);
      if (end < 0 || !(line.startsWith(" stdout ", end) || line.startsWith(" stderr ", end))) {
        return false;
      }
      int tag = end + 8;
      char kind = tag < line.length() ? line.charAt(tag) : ' ';
      int text = line.indexOf(' ', tag);
      boolean isTag =
          text < 0 ? tag + 1 == line.length() : text == tag + 1 || line.charAt(tag + 1) == ':';
      if ((kind != 'F' && kind != 'P') || !isTag) {
        return false;
      }
      into.clear();
      into.time = scanner.time();
      String stream = line.substring(end + 1, end + 7);
      into.partOf = kind == 'P' ? stream : "";
      into.stream = stream;
      into.field("stream", stream);
      into.message(text < 0 ? "" : line.substring(text + 1));
      return true;
    }

    @Override
    public void finish(Entry entry) {
      level.find(entry);
    }
  }
}
