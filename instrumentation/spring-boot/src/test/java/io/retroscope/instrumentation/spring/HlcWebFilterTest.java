// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcHttpClient;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Tests with a reactive Spring Boot application on a loopback port. */
class HlcWebFilterTest extends CarrierContract {
  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, sender);
  private ReactiveWebServerApplicationContext application;

  /** The effect of a request. */
  private interface Effect {
    void happen();
  }

  /** A service without any configuration of its own for the recorder. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    RouterFunction<ServerResponse> routes(Effect effect) {
      return RouterFunctions.route()
          .GET(
              "/",
              request -> {
                effect.happen();
                return ServerResponse.ok().build();
              })
          .build();
    }
  }

  @BeforeEach
  void start() {
    application =
        (ReactiveWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .bannerMode(Banner.Mode.OFF)
                .properties(
                    "server.port=0",
                    "server.address=127.0.0.1",
                    "spring.reactor.netty.shutdown-quiet-period=0s")
                .initializers(this::addBeans)
                .run();
  }

  private void addBeans(ConfigurableApplicationContext context) {
    GenericApplicationContext beans = (GenericApplicationContext) context;
    beans.registerBean(Recorder.class, () -> receiver);
    beans.registerBean(Effect.class, () -> this::arrived);
  }

  @AfterEach
  void stop() {
    application.close();
  }

  private HttpResponse<String> get(HttpClient client, String... header)
      throws IOException, InterruptedException {
    int port = application.getWebServer().getPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"));
    if (header.length > 0) {
      request.headers(header);
    }
    HttpResponse<String> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response;
  }

  @Override
  protected void carry() throws Exception {
    get(traced);
  }

  @Override
  protected void carryUntraced() throws Exception {
    get(plain);
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    get(plain, HlcContext.HEADER, stamp);
  }

  @Test
  void response_isReceivedAboveTheEffect() throws Exception {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }
}
