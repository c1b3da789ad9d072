// fresh/isotopes.py, for Stan
data {
  int n;
  array[n] vector[2] sites;
  vector[n] ratio;
}
parameters {
  real<lower=0> variance;
  vector<lower=0>[2] scales;
  real<lower=0> noise;
  real mu;
}
model {
  matrix[n, n] cov;
  for (i in 1:n) {
    for (j in 1:n) {
      real far = sqrt(3.0) * sqrt(dot_self((sites[i] - sites[j]) ./ scales));
      cov[i, j] = variance * (1 + far) * exp(-far);
    }
    cov[i, i] += noise ^ 2 + 1e-4;
  }
  variance ~ normal(0.0, 1.0);
  scales ~ lognormal(0.0, 0.5);
  noise ~ normal(0.0, 0.5);
  mu ~ normal(0.0, 2.0);
  ratio ~ multi_normal(rep_vector(mu, n), cov);
}
