// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.retroscope.instrumentation.http.HlcFilter;
import io.retroscope.instrumentation.micrometer.RecorderMeters;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * The auto-configuration of a service's recorder and of the integrations for which the service has
 * the libraries. {@code retroscope.enabled=false} turns all of it off. Its beans are thread-safe.
 *
 * <p>The recorder reads its settings from the environment's properties under the names that {@link
 * io.retroscope.recorder.RecorderBuilder} lists, such as {@code retroscope.server}. As there, an
 * invalid setting does not prevent the service from starting.
 */
@AutoConfiguration
@ConditionalOnProperty(name = "retroscope.enabled", matchIfMissing = true)
public final class RetroscopeAutoConfiguration {

  /** The recorder of the service, shared with integrations that are created by class name. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Recorder retroscopeRecorder(Environment environment) {
    return Recorder.builder().properties(environment::getProperty).build().share();
  }

  /** Requests to the service. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
  static class Servlets {
    @Bean
    @ConditionalOnMissingBean(HlcFilter.class)
    FilterRegistrationBean<HlcFilter> retroscopeFilter(Recorder recorder) {
      FilterRegistrationBean<HlcFilter> filter =
          new FilterRegistrationBean<>(new HlcFilter(recorder));
      filter.setDispatcherTypes(
          EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
      filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
      return filter;
    }
  }

  /** Requests to a service with WebFlux. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class Reactive {
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    HlcWebFilter retroscopeWebFilter(Recorder recorder) {
      return new HlcWebFilter(recorder);
    }
  }

  /** Requests of the service by {@code RestClient} and {@code RestTemplate}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(RestClient.class)
  static class RestClients {
    @Bean
    static StampedRestClients retroscopeRestClients(ObjectProvider<Recorder> recorder) {
      return new StampedRestClients(new HlcRequestInterceptor(recorder::getObject));
    }
  }

  /** Requests of the service by {@code WebClient}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(WebClient.class)
  static class WebClients {
    @Bean
    static StampedWebClients retroscopeWebClients(ObjectProvider<Recorder> recorder) {
      return new StampedWebClients(new HlcExchangeFilter(recorder::getObject));
    }
  }

  /** Log lines of the service. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "ch.qos.logback.classic.LoggerContext")
  @ConditionalOnProperty(name = "retroscope.logging.enabled", matchIfMissing = true)
  static class Logging {
    @Bean
    RecordedLogging retroscopeLogging(Recorder recorder, Environment environment) {
      return new RecordedLogging(recorder, environment::getProperty);
    }
  }

  /** The meters of the recorder. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {
    @Bean
    RecorderMeters retroscopeMeters(Recorder recorder) {
      return new RecorderMeters(recorder);
    }
  }

  /** The recorder in the service's health, up to Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
  static class HealthOfBoot3 {
    @Bean
    org.springframework.boot.actuate.health.HealthIndicator retroscopeHealthIndicator(
        Recorder recorder) {
      return () -> {
        RecorderDetails details = RecorderDetails.of(recorder);
        var health = org.springframework.boot.actuate.health.Health.status(details.status());
        return health.withDetails(details.details()).build();
      };
    }
  }

  /** The recorder in the service's health, since Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
  static class HealthOfBoot4 {
    @Bean
    org.springframework.boot.health.contributor.HealthIndicator retroscopeHealthIndicator(
        Recorder recorder) {
      return () -> {
        RecorderDetails details = RecorderDetails.of(recorder);
        var health = org.springframework.boot.health.contributor.Health.status(details.status());
        return health.withDetails(details.details()).build();
      };
    }
  }
}
