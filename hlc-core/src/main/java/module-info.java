/** A hybrid logical clock and an event recorder to embed in services; depends only on the JDK. */
module io.retroscope.core {
  requires java.net.http;
  requires static java.management;
  requires static org.jspecify;

  exports io.retroscope.clock;
  exports io.retroscope.context;
  exports io.retroscope.event;
  exports io.retroscope.recorder;
  exports io.retroscope.sink;

  uses io.retroscope.sink.SinkProvider;
}
