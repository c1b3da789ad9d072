// fresh/buoys.py, for Stan
data {
  int n;
  vector[n] fetch;
  vector[n] depth;
  vector[n] height;
}
parameters {
  real a;
  real b;
  real<lower=0> sigma;
  vector[n] swell;
}
model {
  a ~ normal(0.0, 1.0);
  b ~ normal(0.0, 0.5);
  sigma ~ normal(0.0, 0.4);
  swell ~ normal(a + b * log(fetch) - 0.1 ./ depth, sigma);
  height ~ lognormal(swell, 0.1);
}
