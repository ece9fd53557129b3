// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.quickstart;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.retroscope.instrumentation.http.HlcFilter;
import io.retroscope.instrumentation.http.HlcHttpClient;
import io.retroscope.instrumentation.kafka.HlcConsumerInterceptor;
import io.retroscope.instrumentation.kafka.HlcProducerInterceptor;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.catalina.startup.Tomcat;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A service that follows docs/instrument-your-service.md exactly, with every integration that
 * obtains its recorder itself. Arguments: "logger-first", if it logs before it has its own
 * recorder, and a folder for its files.
 */
final class GuideService {
  private static final String LOG4J =
      """
      <Configuration status="error">
        <Appenders><Retroscope name="RETROSCOPE" log="app"/></Appenders>
        <Loggers><Root level="info"><AppenderRef ref="RETROSCOPE"/></Root></Loggers>
      </Configuration>
      """;

  private GuideService() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("logger-first")) {
      LoggerFactory.getLogger(GuideService.class).info("starting");
    }
    Recorder recorder = Recorder.fromEnvironment();
    EventLog log = recorder.log("setd");

    log.set("leader", true);
    LoggerFactory.getLogger(GuideService.class).atInfo().addKeyValue("term", 3).log("elected");
    log("elected, by Log4j2");

    callItself(recorder, arguments[1]);
    throughKafka();
    throughOpenTelemetry();
    log.set("term", 4);
  }

  private static void log(String text) throws IOException {
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    byte[] bytes = LOG4J.getBytes(StandardCharsets.UTF_8);
    context.reconfigure(
        new XmlConfiguration(context, new ConfigurationSource(new ByteArrayInputStream(bytes))));
    LogManager.getLogger("setd").info(text);
  }

  private static void callItself(Recorder recorder, String folder) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder);
    tomcat.getConnector().setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    org.apache.catalina.Context context = tomcat.addContext("", folder);
    Tomcat.addServlet(context, "hello", new HelloServlet()).addMapping("/*");
    FilterDef filter = new FilterDef();
    filter.setFilterName("hlc");
    filter.setFilterClass(HlcFilter.class.getName());
    context.addFilterDef(filter);
    FilterMap everything = new FilterMap();
    everything.setFilterName("hlc");
    everything.addURLPattern("/*");
    context.addFilterMap(everything);
    tomcat.start();
    try {
      HttpClient client = HlcHttpClient.over(HttpClient.newHttpClient(), recorder);
      URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort());
      client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    } finally {
      tomcat.stop();
      tomcat.destroy();
    }
  }

  private static final class HelloServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.getWriter().print("hello");
    }
  }

  private static void throughKafka() {
    ProducerRecord<String, String> sent = new ProducerRecord<>("orders", "k", "v");
    ConsumerRecord<String, String> received = new ConsumerRecord<>("orders", 0, 0, "k", "v");
    try (HlcProducerInterceptor<String, String> producer = new HlcProducerInterceptor<>();
        HlcConsumerInterceptor<String, String> consumer = new HlcConsumerInterceptor<>()) {
      producer.configure(Map.of());
      consumer.configure(Map.of());
      producer.onSend(sent).headers().forEach(received.headers()::add);
      TopicPartition partition = new TopicPartition("orders", 0);
      consumer.onConsume(new ConsumerRecords<>(Map.of(partition, List.of(received)), Map.of()));
    }
  }

  private static void throughOpenTelemetry() {
    Map<String, String> settings =
        Map.of(
            "otel.propagators", "tracecontext,hlc",
            "otel.traces.exporter", "none",
            "otel.metrics.exporter", "none",
            "otel.logs.exporter", "none");
    try (OpenTelemetrySdk sdk =
        AutoConfiguredOpenTelemetrySdk.builder()
            .addPropertiesSupplier(() -> settings)
            .build()
            .getOpenTelemetrySdk()) {
      TextMapPropagator propagator = sdk.getPropagators().getTextMapPropagator();
      Map<String, String> headers = new HashMap<>();
      propagator.inject(Context.root(), headers, Map::put);
      propagator.extract(Context.root(), headers, new Headers());
      sdk.getTracer("setd").spanBuilder("work").startSpan().end();
    }
  }

  private static final class Headers implements TextMapGetter<Map<String, String>> {
    @Override
    @SuppressWarnings("deprecation") // still abstract
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }
}
