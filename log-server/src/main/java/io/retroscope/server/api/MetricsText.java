package io.retroscope.server.api;

/** Metrics in Prometheus' text format. Used by one thread. */
final class MetricsText {
  private final StringBuilder text = new StringBuilder();

  void counter(String name, String help, long value) {
    metric("counter", name, help, value);
  }

  void gauge(String name, String help, long value) {
    metric("gauge", name, help, value);
  }

  private void metric(String type, String name, String help, long value) {
    String full = "retroscope_" + name;
    text.append("# HELP ").append(full).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(full).append(' ').append(type).append('\n');
    text.append(full).append(' ').append(value).append('\n');
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
